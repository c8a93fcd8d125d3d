// SPDX-License-Identifier: Apache-2.0
// Measures of a model for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "dperm/methods/evaluation/measures.hpp"

namespace dperm::cli {

// The table of measures, the confusion matrix, the calibration curve or the residuals, and the groups. `exact`: of
// public rows, so that bars are sampling alone. `target` names the unit of regression errors.
std::string measures_text(const methods::Evaluated& evaluated, bool exact, const std::string& target);

// "0.8312 +- 0.0121 (with sampling 0.0204)"
std::string measure_text(const methods::Measure& measure, bool exact);

// "0.831 +- 0.020", noise and sampling counted, in digits that mean something.
std::string rounded_measure(const methods::Measure& measure);

// On which rows: "2,000 rows"; of persons only rows that count are judged on, and their number is a released one.
std::string judged_rows_text(const methods::Measures& all, std::size_t rows, bool persons);

// "root mean square error"
std::string measure_words(std::string name);

// That the model is no better, or not clearly better, than an answer that looks at no column; else empty.
std::string constant_text(const methods::Measures& measures);

}  // namespace dperm::cli
