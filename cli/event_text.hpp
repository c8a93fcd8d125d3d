// SPDX-License-Identifier: Apache-2.0
// Events as words on the command line: gaussian:sigma=5,sensitivity=1,count=100. Words and keys are those of the model
// file, with a few short forms.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dperm/privacy/events/event.hpp"

namespace dperm::cli {

struct EventText {
  std::string kind;
  std::map<std::string, std::string> values;
};

// Throws ArgumentError for text that is not KIND:KEY=VALUE,...
EventText parse_event_text(const std::string& text);

// The kind that the text names, its fields zero. Throws ArgumentError naming the kinds.
privacy::Mechanism kind_of(const EventText& text);

// Throws ArgumentError naming the keys that are missing and those that are not known. `sought` names a field that must
// be left out, being what is asked for: it is zero, and the event not yet valid.
privacy::PrivacyEvent event_of(const EventText& text, privacy::Neighbours neighbours, std::string_view sought = {});

// "replace-one" or "add-remove".
privacy::Neighbours parse_neighbours(const std::string& text);

// For --help.
std::string event_help();

}  // namespace dperm::cli
