// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/protected_unit.hpp"

#include <gtest/gtest.h>

namespace dperm::ledger {
namespace {

TEST(ProtectedUnit, IsTheColumnAndWhoIsNobody) {
  schema::Schema schema;
  schema.format.missing = {"NA", "", "NA"};
  EXPECT_EQ(unit_of(schema), ProtectedUnit{}) << "of rows nobody asks who they belong to";
  schema.unit = {"patient", 5};
  EXPECT_EQ(unit_of(schema), (ProtectedUnit{"patient", {"", "NA"}}));
  const ProtectedUnit before = unit_of(schema);
  schema.unit->rows = 3;
  EXPECT_EQ(unit_of(schema), before) << "each request pays for its own number of rows";
  schema.format.missing.push_back("x");
  EXPECT_NE(unit_of(schema), before);
}

}  // namespace
}  // namespace dperm::ledger
