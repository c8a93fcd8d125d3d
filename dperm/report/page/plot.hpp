// SPDX-License-Identifier: Apache-2.0
// Small pictures for the page: SVG with a title and a description, coloured by the page's style, readable in 340
// pixels.
#pragma once

#include <string>
#include <vector>

#include "dperm/report/page/html.hpp"

namespace dperm::report {

struct Point {
  double x, y;
};

struct PlotAxis {
  double low, high;
  std::string label;
  bool percent = false;  // shares, written in percent
};

// With axes, which lines and points are put into.
class Plot {
 public:
  Plot(PlotAxis across, PlotAxis up, double height = 290);

  // `style`: "curve" (the accent), "plain" or "dashed".
  void line(const std::vector<Point>& points, std::string_view style);
  // Between a line and the diagonal.
  void area(const std::vector<Point>& points);
  // A point with error bars (0: none), and words that are shown where a pointer rests on it.
  void dot(const Point& at, double across_radius, double up_radius, const std::string& words);
  void words(const Point& at, const std::string& text, std::string_view anchor = "start");

  Html figure(const std::string& title, const std::string& description, const Html& caption) const;

 private:
  double left(double x) const;
  double top(double y) const;
  std::string axes() const;

  PlotAxis across_, up_;
  double height_;
  std::string drawing_;
};

// A picture with its words. `drawing` is markup; `named`: with the title above it.
Html figure_of(const std::string& drawing, double width, double height, const std::string& title,
               const std::string& description, const Html& caption, bool named = true);

// A value with its error bar on a common scale, as a cell of a table whose text has the numbers: decoration only.
Html bar_cell(double value, double radius, double low, double high);

// The same for several values, each in the colour of its class.
Html dots_cell(const std::vector<double>& values, double low, double high);

// Round numbers from low to high, about `count` of them, and how they are written.
std::vector<double> round_numbers(double low, double high, int count);
std::string number_words(double value, double step);

// Three digits, without exponents where people would not write them: "0.0123", "1,230".
std::string digits(double value, int count = 3);
std::string percent(double share, int decimals = 1);  // "71.1%"

}  // namespace dperm::report
