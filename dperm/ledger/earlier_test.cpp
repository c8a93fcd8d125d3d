// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/earlier.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dperm/schema/inferred.hpp"
#include "tests/support/models.hpp"

namespace dperm::ledger {
namespace {

// The ledger could not be written at the end, so that it has no digest of the whole file. What the model was to be, it
// has: bounds that were asked of the records cannot be taken out of the file.
TEST(Earlier, AnEntryCoversWhatWasInferred) {
  std::string folder = testing::TempDir() + "earlierXXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Ledger ledger = Ledger::create(folder + "/ledger.db");
  ledger.enlist("people", {.epsilon = 3, .delta = 1e-5});
  random::SecureBits bits;
  model::Model whole = tests::small_model("gradient-descent", {1, 1e-6}, bits);
  const model::Model stripped = whole;
  schema::Inference inference{.nonce = "n", .rows = 200, .epsilon = 1, .delta = 1e-7};
  inference.releases.push_back({"sizes", "gaussian", 1.4142136, 100});
  schema::add_inference(whole.schema, inference, {whole.schema.columns.at(0).name});
  const Mark mark = ledger.reserve("people", {.command = "fit",
                                              .events = whole.events,
                                              .epsilon = whole.guarantee.epsilon,
                                              .delta = whole.guarantee.delta,
                                              .shared = {{whole.schema.inferred.at(0).id, 1, 1e-7}},
                                              .about = about(whole.plan, whole.schema)});
  const auto marked = [&](model::Model model) {
    model.ledger = {mark.ledger, mark.dataset, mark.entry, mark.head};
    return model;
  };
  EXPECT_TRUE(is_counted(ledger, marked(whole)));
  EXPECT_FALSE(is_counted(ledger, marked(stripped)));
  model::Model other = whole;
  other.schema.format.missing = {"9"};
  EXPECT_FALSE(is_counted(ledger, marked(other)));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dperm::ledger
