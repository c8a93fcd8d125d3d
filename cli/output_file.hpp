// SPDX-License-Identifier: Apache-2.0
// Where results go: checked before any work, so that nothing is spent on a result that is lost, and never over an
// input.
#pragma once

#include <string>
#include <vector>

namespace dperm::cli {

// `inputs` are paths or globs. Throws ArgumentError when `path` is one of them, DataError when it cannot be written.
// Nothing happens when `path` is empty.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

// ArgumentError when a model may be lost by writing there: every one is the record of a budget that is spent. An empty
// file is no model.
void refuse_to_replace(const std::string& path);

// A line for the reader on standard error, after everything printed so far.
void note(const std::string& line);

// Flushes standard output; DataError when what was printed did not arrive.
void finish_standard_output();

}  // namespace dperm::cli
