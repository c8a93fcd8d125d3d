// SPDX-License-Identifier: Apache-2.0
// What is said when a run ends in the middle: by an interrupt, or because a mapped file was cut short.
#pragma once

#include <string>

namespace dperm::cli {

// From now on an interrupt (SIGINT, SIGTERM, SIGHUP) ends the program, as ever, but says first what was spent.
void watch_interrupts();

// What to say from now on, such as "Nothing was released and nothing is spent."
void if_interrupted(const std::string& words);

}  // namespace dperm::cli
