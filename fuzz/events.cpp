// SPDX-License-Identifier: Apache-2.0
// Events, as words of the command line and as JSON.
#include "cli/event_text.hpp"
#include "dperm/model/model_json.hpp"
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::accepted([&] {
    const privacy::PrivacyEvent event =
        cli::event_of(cli::parse_event_text(std::string(text)), privacy::Neighbours::replace_one);
    privacy::to_string(event.mechanism);
  });
  const fuzz::MemoryFile file(text);
  fuzz::accepted([&] { model::read_events(file.path()); });
  return 0;
}
