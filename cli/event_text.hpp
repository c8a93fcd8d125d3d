// SPDX-License-Identifier: Apache-2.0
// Events as words on the command line: gaussian:sigma=5,sensitivity=1,count=100.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dperm/privacy/events/event.hpp"

namespace dperm::cli {

struct EventText {
  std::string kind;
  std::map<std::string, std::string> values;
};

// Throws ArgumentError for text that is not KIND:KEY=VALUE,...
EventText parse_event_text(const std::string& text);

// Throws ArgumentError naming the kinds, the keys that are missing and those that are not known.
privacy::PrivacyEvent event_of(const EventText& text, privacy::Neighbours neighbours);

// "replace-one" or "add-remove".
privacy::Neighbours parse_neighbours(const std::string& text);

// For --help.
std::string event_help();

}  // namespace dperm::cli
