// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/shape.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"

namespace dperm::network {
namespace {

TEST(Shape, CountsAWeightForEveryPairOfUnitsAndABiasForEveryHiddenLayer) {
  EXPECT_EQ(weight_count({.inputs = 785, .hidden = {256}, .outputs = 10}), 785u * 256 + 257 * 10);
  EXPECT_EQ(weight_count({.inputs = 7, .hidden = {5, 3}, .outputs = 2}), 7u * 5 + 6 * 3 + 4 * 2);
  EXPECT_EQ(weight_count({.inputs = 7, .hidden = {}, .outputs = 1}), 7u);
}

TEST(Shape, LaysTheWeightsOutLayerByLayer) {
  const auto all = layers({.inputs = 7, .hidden = {5, 3}, .outputs = 2});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].inputs, 6u);
  EXPECT_EQ(all[1].outputs, 3u);
  EXPECT_EQ(all[1].first_weight, 35u);
  EXPECT_EQ(all[2].first_weight, 53u);
}

TEST(Shape, RefusesWidthsOutOfRange) {
  EXPECT_THROW(validate({.inputs = 0, .hidden = {}, .outputs = 1}), ArgumentError);
  EXPECT_THROW(validate({.inputs = 3, .hidden = {}, .outputs = 0}), ArgumentError);
  EXPECT_THROW(validate({.inputs = 3, .hidden = {4, 0}, .outputs = 1}), ArgumentError);
  EXPECT_THROW(validate({.inputs = kMaximumWidth + 1, .hidden = {}, .outputs = 1}), ArgumentError);
  EXPECT_THROW(validate({.inputs = kMaximumWidth, .hidden = {kMaximumWidth}, .outputs = 1}), ArgumentError);
  EXPECT_THROW(validate({.inputs = 3, .hidden = std::vector<std::size_t>(65, 2), .outputs = 1}), ArgumentError);
  EXPECT_NO_THROW(validate({.inputs = 3, .hidden = std::vector<std::size_t>(64, 2), .outputs = 1}));
}

TEST(Activation, IsReadByItsName) {
  EXPECT_EQ(activation_from_name("tanh"), Activation::tanh);
  EXPECT_EQ(name(Activation::relu), "relu");
  EXPECT_THROW(activation_from_name("sigmoid"), ArgumentError);
}

}  // namespace
}  // namespace dperm::network
