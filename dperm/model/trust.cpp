// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/trust.hpp"

#include <fmt/core.h>

namespace dperm::model {

namespace {

std::string ledger_sentence(const Model& model) {
  if (!model.ledger) {
    return "The file names no ledger: whether its cost is counted anywhere, and what else was released about the same "
           "records, is not known.";
  }
  return fmt::format(
      "The file says that entry {} of the ledger {} counts it, for the dataset '{}'. Whether that entry counted this "
      "very file, the ledger's owner can tell: dperm ledger check.",
      model.ledger->entry, model.ledger->ledger, model.ledger->dataset);
}

}  // namespace

std::vector<std::string> taken_on_trust(const Model& model, bool is_signed) {
  std::vector<std::string> all = {
      "That the noise was drawn in secret, as recorded, that the records were read by this schema, and that the "
      "numbers released are those that came out, rests on the program that made the file and on who passed it on. "
      "Words beside numbers (remarks, reasons, theorems, the program's version) are not checked.",
      fmt::format("Bounds and values {} are taken as public. If they were asked of the records, or read off them, what "
                  "that cost comes on top: a file from which it was removed looks the same.",
                  model.schema.inferred.empty() ? "in the schema" : "that carry no seal of an inference"),
      ledger_sentence(model)};
  if (!is_signed) {
    all.push_back(
        "The digest finds accidents, and whoever edits the file can compute it anew. That nothing was left out since, "
        "a signature shows: dperm sign, dperm verify --key.");
  }
  return all;
}

}  // namespace dperm::model
