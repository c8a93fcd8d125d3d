// SPDX-License-Identifier: Apache-2.0
// Events and guarantees as JSON, by the lists of their fields. Internal to this room.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "dperm/model/json_reader.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::model {

nlohmann::ordered_json events_json(const std::vector<privacy::PrivacyEvent>& events);
// With whom it is about: one row (unit_rows 0), or one person with so many rows.
nlohmann::ordered_json guarantee_json(const privacy::Guarantee& guarantee, std::size_t unit_rows);

// The list "events" of an object, and a guarantee for this unit. Both throw DataError through the reader.
std::vector<privacy::PrivacyEvent> events_of(const JsonReader& in);
privacy::Guarantee guarantee_of(const JsonReader& in, std::size_t unit_rows);

}  // namespace dperm::model
