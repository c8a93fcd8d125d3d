// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text.hpp"

namespace dperm::cli {

namespace {

constexpr const char* kUsual = "Options";  // the parser's name for options without a group of their own
constexpr std::size_t kNameColumn = 26, kLineWidth = 96;

constexpr std::string_view kMethodPrefix = "Options of ";

// "Tuning (docs/tuning.md)", "Options of sgd, also --batch": the topic alone.
std::string topic(const std::string& group) {
  return group.substr(0, std::min(group.find(" ("), group.find(", also ")));
}

// "reading data; options of sgd, gradient-descent"
std::string topics_of(const CLI::App& app) {
  std::vector<std::string> topics, methods;
  for (const std::string& group : app.get_groups()) {
    if (group == kUsual || group.empty()) continue;
    const bool method = group.starts_with(kMethodPrefix);
    (method ? methods : topics).push_back(method ? topic(group).substr(kMethodPrefix.size()) : topic(group));
  }
  for (std::string& each : topics) each[0] = static_cast<char>(std::tolower(each[0]));
  if (!methods.empty()) topics.push_back(fmt::format("options of {}", fmt::join(methods, ", ")));
  return fmt::format("{}", fmt::join(topics, "; "));
}

class ShortFormatter : public CLI::Formatter {
 public:
  ShortFormatter() { column_width(kNameColumn); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode != CLI::AppFormatMode::Normal) return CLI::Formatter::make_help(app, name, mode);
    return make_description(app) + make_usage(app, name) + make_positionals(app) + usual_options(app) +
           make_subcommands(app, mode) + "\n" + make_footer(app);
  }

 private:
  std::string usual_options(const CLI::App* app) const {
    const auto usual = app->get_options(
        [](const CLI::Option* option) { return option->get_group() == kUsual && option->nonpositional(); });
    std::string text = make_group(kUsual, false, usual);
    const std::string topics = topics_of(*app);
    return topics.empty() ? text
                          : text + "\n" + wrapped(fmt::format("--help-all shows more: {}.", topics), kLineWidth) + "\n";
  }
};

}  // namespace

void set_help(CLI::App& app) {
  app.formatter(std::make_shared<ShortFormatter>());
  app.set_help_all_flag("--help-all", "Print every option, by topic");
}

}  // namespace dperm::cli
