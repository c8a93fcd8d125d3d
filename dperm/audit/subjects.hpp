// SPDX-License-Identifier: Apache-2.0
// What an audit of dperm itself attacks: every algorithm on a small table, with a loss for which its bound can be
// reached where there is one. "20 rows by 2 columns" keeps a fit short enough for 10^5 of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/methods/algorithms.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::audit {

struct Subject {
  std::string name;  // of the algorithm, and what is special about the case
  std::shared_ptr<const schema::Encoding> encoding;
  methods::Plan plan;
  bool tight = false;  // Gaussian or exponential noise whose bound some pair of tables reaches
  std::size_t rows = 20;
  bool slow = false;           // milliseconds a fit and more: a short search
  std::size_t most_runs = {};  // on each table, however many would be needed; 0: no limit
};

inline constexpr double kAuditDelta = 1e-5;

// The names of all cases.
std::vector<std::string> subject_names();
// ArgumentError for an unknown name.
Subject subject(std::string_view name, double epsilon);

}  // namespace dperm::audit
