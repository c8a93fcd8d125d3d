// SPDX-License-Identifier: Apache-2.0
// The link between values that were inferred from records and the release they came from: every inferred entry carries
// a seal over its values and the release, so that neither can be changed or left out by accident. Like the digest of a
// model file it finds mistakes; it is no signature.
#pragma once

#include <string>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// What the id of an inference has to be. Where it protects persons it also covers which texts name nobody, `missing` of
// the format: who is protected depends on it.
std::string inference_id(const Inference& inference, std::vector<std::string> missing);

// What `inferred` of an entry has to be if its bounds, scale or values came from the inference with this id.
std::string seal_of(const Column& column, const std::string& id);
std::string seal_of(const Target& target, const std::string& id);

// Gives the inference its id, adds it to the schema and seals the entries with these names.
void add_inference(Schema& schema, Inference inference, const std::vector<std::string>& names);

// What is wrong with seals and inferences, and what to do; empty if nothing is.
std::string inferred_problem(const Schema& schema);

}  // namespace dperm::schema
