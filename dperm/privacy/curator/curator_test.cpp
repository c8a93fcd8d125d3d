// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/curator/curator.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "dperm/core/error.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/noise/k_norm.hpp"
#include "dperm/random/noise/laplace.hpp"

namespace dperm::privacy {
namespace {

using Integers = std::vector<std::int64_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

static_assert(!std::is_copy_constructible_v<Curator>, "two curators must not share one record of events");
static_assert(!std::is_constructible_v<Released<int>, int>, "a released value cannot be forged");

// Bits that fail: shows what is recorded when the sampler cannot finish.
class FailingBits final : public random::BitSource {
 public:
  std::uint64_t next() override { throw std::runtime_error("no bits"); }
  bool secure() const override { return true; }
};

TEST(Curator, GaussianReleaseIsTheQueryPlusTheSamplersOutput) {
  const Integers query{5, -7, 1000000007, 0};
  random::SeededBits bits(3), twin(3);
  Curator curator(bits);
  const Integers released = curator.release(Sensitive(query), GaussianEvent{2, 123.5}, "gradient").get();
  ASSERT_EQ(released.size(), query.size());
  Integers noise(query.size());
  random::rounded_gaussians(twin, 123.5, noise);
  for (std::size_t j = 0; j < query.size(); ++j) EXPECT_EQ(released[j] - query[j], noise[j]);
}

TEST(Curator, KNormReleaseIsTheQueryPlusTheSamplersOutput) {
  const Integers query{5, -7, 11};
  random::SeededBits bits(4), twin(4);
  Curator curator(bits);
  const Integers released = curator.release(Sensitive(query), KNormEvent{2, 77}, "weights").get();
  const Integers noise = random::rounded_k_norm(twin, 3, 77);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(released[j] - query[j], noise[j]);
}

TEST(Curator, LaplaceReleaseIsTheQueryPlusTheSamplersOutput) {
  random::SeededBits bits(5), twin(5);
  Curator curator(bits);
  const auto released = curator.release(Sensitive<std::int64_t>(42), DiscreteLaplaceEvent{1, 7, 2}, "errors").get();
  EXPECT_EQ(released - 42, random::discrete_laplace(twin, 7, 2));
}

TEST(Curator, LaplaceNoiseOfAVectorIsDrawnForEveryCoordinate) {
  const Integers query{5, -7, 1000000007, 0};
  random::SeededBits bits(6), twin(6);
  Curator curator(bits);
  const Integers released = curator.release(Sensitive(query), DiscreteLaplaceEvent{2, 9, 2}, "counts").get();
  ASSERT_EQ(released.size(), query.size());
  for (std::size_t j = 0; j < query.size(); ++j)
    EXPECT_EQ(released[j] - query[j], random::discrete_laplace(twin, 9, 2));
  const std::vector<PrivacyEvent> expected{{"counts", DiscreteLaplaceEvent{2, 9, 2}}};
  EXPECT_EQ(curator.events(), expected) << "one event for all of them";
}

TEST(Curator, TheNoiseDoesNotDependOnTheQuery) {
  random::SeededBits first(6), second(6);
  Curator a(first), b(second);
  const Integers x = a.release(Sensitive(Integers{0, 0}), GaussianEvent{1, 9}, "").get();
  const Integers y = b.release(Sensitive(Integers{100, -100}), GaussianEvent{1, 9}, "").get();
  EXPECT_EQ(y[0] - x[0], 100);
  EXPECT_EQ(y[1] - x[1], -100);
  EXPECT_EQ(first.next(), second.next()) << "the same number of bits is drawn for every query";
}

TEST(Curator, WhatIsRecordedIsWhatWasAsked) {
  random::SeededBits bits(1);
  Curator curator(bits, Neighbours::add_remove);
  EXPECT_TRUE(curator.events().empty());
  for (int i = 0; i < 3; ++i) curator.release(Sensitive(Integers{1, 2}), GaussianEvent{2, 8}, "gradient");
  curator.release(Sensitive(Integers{1}), KNormEvent{1, 4}, "weights");
  curator.release(Sensitive<std::int64_t>(1), DiscreteLaplaceEvent{1, 3, 2}, "errors");
  const std::vector<PrivacyEvent> expected{{"gradient", GaussianEvent{2, 8}, Neighbours::add_remove, 3},
                                           {"weights", KNormEvent{1, 4}, Neighbours::add_remove, 1},
                                           {"errors", DiscreteLaplaceEvent{1, 3, 2}, Neighbours::add_remove, 1}};
  EXPECT_EQ(curator.events(), expected);
}

TEST(Curator, TheEventIsRecordedBeforeAnyNoiseIsDrawn) {
  FailingBits bits;
  Curator curator(bits);
  EXPECT_THROW(curator.release(Sensitive(Integers{1}), GaussianEvent{1, 8}, "gradient"), std::runtime_error);
  EXPECT_THROW(curator.release(Sensitive(Integers{1}), KNormEvent{1, 8}, "weights"), std::runtime_error);
  EXPECT_THROW(curator.release(Sensitive<std::int64_t>(1), DiscreteLaplaceEvent{1, 8, 1}, "errors"),
               std::runtime_error);
  EXPECT_EQ(curator.events().size(), 3u);
}

TEST(Curator, NoiseTheSamplerCannotMakeIsRefusedBeforeTheQueryIsLookedAt) {
  random::SeededBits bits(1);
  Curator curator(bits);
  // The query has no coordinates, an InternalError once it is opened: ArgumentError shows that it was not.
  const Sensitive<Integers> empty{Integers{}};
  for (const double bad : {kNan, 0.0, -1.0, 0.49, 0x1.1p50}) {
    EXPECT_THROW(curator.release(empty, GaussianEvent{1, bad}, ""), ArgumentError) << bad;
    EXPECT_THROW(curator.release(empty, KNormEvent{1, bad}, ""), ArgumentError) << bad;
  }
  EXPECT_THROW(curator.release(empty, GaussianEvent{kNan, 1}, ""), ArgumentError);
  EXPECT_THROW(curator.release(empty, KNormEvent{0, 1}, ""), ArgumentError);
  EXPECT_THROW(curator.release(empty, DiscreteLaplaceEvent{0, 1, 1}, ""), ArgumentError);
  const Sensitive<std::int64_t> one(1);
  const std::uint64_t limit = std::uint64_t{1} << 62;
  EXPECT_THROW(curator.release(one, DiscreteLaplaceEvent{0, 1, 1}, ""), ArgumentError);
  EXPECT_THROW(curator.release(one, DiscreteLaplaceEvent{1, limit, limit - 1}, ""), ArgumentError);
  EXPECT_THROW(curator.release(one, DiscreteLaplaceEvent{1, 1, limit}, ""), ArgumentError);
  EXPECT_THROW(curator.release(one, DiscreteLaplaceEvent{1, (std::uint64_t{1} << 50) + 1, 1}, ""), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

TEST(Curator, AQueryWithoutCoordinatesIsABug) {
  random::SeededBits bits(1);
  Curator curator(bits);
  EXPECT_THROW(curator.release(Sensitive(Integers{}), GaussianEvent{1, 8}, ""), InternalError);
  EXPECT_THROW(curator.release(Sensitive(Integers{}), KNormEvent{1, 8}, ""), InternalError);
  EXPECT_THROW(curator.release(Sensitive(Integers{}), DiscreteLaplaceEvent{1, 8, 1}, ""), InternalError);
}

using Runs = std::vector<random::CostRun>;

TEST(Curator, ChoosesWithTheSamplersOfTheRecordedMechanism) {
  const Runs runs{{3, 1}, {1, 0}, {1000, 7}};
  random::SeededBits bits(4), twin(4);
  Curator curator(bits);
  const auto first = curator.choose(Sensitive(runs), ExponentialEvent{2, 3, 2}, 1004, "rule").get();
  EXPECT_EQ(first, random::choose_exponential(twin, runs, {3, 2}));
  const auto second = curator.choose(Sensitive(runs), PermuteAndFlipEvent{2, 3, 2}, 1004, "rule").get();
  EXPECT_EQ(second, random::permute_and_flip(twin, runs, {3, 2}));
  const std::vector<PrivacyEvent> expected{{"rule", ExponentialEvent{2, 3, 2}}, {"rule", PermuteAndFlipEvent{2, 3, 2}}};
  EXPECT_EQ(curator.events(), expected);
}

TEST(Curator, AChoiceCoversThePublicSetOrIsABug) {
  random::SeededBits bits(4);
  Curator curator(bits);
  const Sensitive<Runs> runs(Runs{{3, 1}, {1, 0}});
  for (const std::uint64_t wrong : {0u, 3u, 5u}) {
    EXPECT_THROW(curator.choose(runs, ExponentialEvent{2, 3, 2}, wrong, ""), InternalError) << wrong;
    EXPECT_THROW(curator.choose(runs, PermuteAndFlipEvent{2, 3, 2}, wrong, ""), InternalError) << wrong;
  }
  const Sensitive<Runs> none(Runs{});
  EXPECT_THROW(curator.choose(none, ExponentialEvent{0, 3, 2}, 4, ""), ArgumentError);
  EXPECT_THROW(curator.choose(none, ExponentialEvent{2, 0, 2}, 4, ""), ArgumentError);
  EXPECT_THROW(curator.choose(none, PermuteAndFlipEvent{2, 1, std::uint64_t{1} << 62}, 4, ""), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

TEST(Curator, ARandomTermIsRecordedOrRefusedBeforeItIsDrawn) {
  const ObjectivePerturbationEvent term{{GradientSign::monotone, 1, 1, 2, 8}, 1e-9};
  random::SeededBits bits(6);
  Curator curator(bits), other(bits, Neighbours::add_remove);
  EXPECT_THROW(other.draw_objective_term(term, 3, 0.5, "term"), ArgumentError) << "proved for replace-one only";
  for (const double step : {0.0, -0.5, 0.3, kNan}) {
    EXPECT_THROW(curator.draw_objective_term(term, 3, step, "term"), ArgumentError) << step;
  }
  EXPECT_TRUE(curator.events().empty() && other.events().empty());
  curator.draw_objective_term(term, 3, 0.5, "term");
  EXPECT_EQ(curator.events(), (std::vector<PrivacyEvent>{{"term", term, Neighbours::replace_one, 1}}));
}

TEST(Curator, APureRandomTermIsRecordedOrRefusedBeforeItIsDrawn) {
  const PureObjectiveEvent term{{GradientSign::monotone, 1, 1, 2, 8}};
  random::SeededBits bits(6);
  Curator curator(bits), other(bits, Neighbours::add_remove);
  EXPECT_THROW(other.draw_objective_term(term, 3, 0.5, "term"), ArgumentError) << "proved for replace-one only";
  EXPECT_THROW(curator.draw_objective_term(term, 3, 0.3, "term"), ArgumentError);
  EXPECT_THROW(curator.draw_objective_term(term, 3, 64, "term"), ArgumentError) << "a step far above the scale";
  EXPECT_TRUE(curator.events().empty() && other.events().empty());
  curator.draw_objective_term(term, 3, 0.5, "term");
  EXPECT_EQ(curator.events(), (std::vector<PrivacyEvent>{{"term", term, Neighbours::replace_one, 1}}));
}

TEST(Curator, HugeQueriesSaturateSymmetrically) {
  for (const std::int64_t huge : {kLargestQuery, kLargestQuery + 1, kMost}) {
    random::SeededBits bits(8), twin(8);
    Curator curator(bits);
    const Integers released = curator.release(Sensitive(Integers{huge, -huge}), GaussianEvent{1, 8}, "").get();
    Integers noise(2);
    random::rounded_gaussians(twin, 8, noise);
    EXPECT_EQ(released[0], kLargestQuery + noise[0]);
    EXPECT_EQ(released[1], -kLargestQuery + noise[1]);
  }
  random::SeededBits bits(8), twin(8);
  Curator curator(bits);
  const Integers lowest{std::numeric_limits<std::int64_t>::min()};
  Integers noise(1);
  random::rounded_gaussians(twin, 8, noise);
  EXPECT_EQ(curator.release(Sensitive(lowest), GaussianEvent{1, 8}, "").get()[0], -kLargestQuery + noise[0]);
}

TEST(Curator, SaysWhetherItsBitsAreSecure) {
  random::SeededBits seeded(1);
  random::SecureBits secure;
  EXPECT_FALSE(Curator(seeded).secure());
  EXPECT_TRUE(Curator(secure).secure());
}

class FlatCosts final : public random::LatticeCosts {
 public:
  std::size_t dimension() const override { return 2; }
  int bits() const override { return 3; }
  bool contains(std::span<const std::uint64_t>) const override { return true; }
  std::int64_t cost(std::span<const std::uint64_t>) const override { return 5; }
  std::optional<random::BoxBound> bound(const random::LatticeBox&) const override { return random::BoxBound{5, 0}; }
};

TEST(Curator, ALatticeIsThePublicOneOrItIsABug) {
  random::SeededBits bits(1);
  Curator curator(bits);
  const Sensitive<std::unique_ptr<random::LatticeCosts>> costs(std::make_unique<FlatCosts>());
  EXPECT_THROW(curator.choose(costs, ExponentialEvent{2, 3, 2}, 3, 3, "weights"), InternalError);
  EXPECT_THROW(curator.choose(costs, ExponentialEvent{2, 3, 2}, 2, 4, "weights"), InternalError);
  EXPECT_TRUE(curator.events().empty());
  const auto point = curator.choose(costs, ExponentialEvent{2, 3, 2}, 2, 3, "weights").get();
  ASSERT_EQ(point.size(), 2u);
  EXPECT_LT(point[0], 8u);
  EXPECT_EQ(curator.events(), (std::vector<PrivacyEvent>{{"weights", ExponentialEvent{2, 3, 2}}}));
}

class FlatTarget final : public random::ProximalTarget {
 public:
  std::int64_t cost(std::span<const std::int64_t>) const override { return 0; }
  void prepare(std::span<const std::int64_t> y, std::span<std::int64_t> anchor,
               std::span<std::int64_t> centre) const override {
    for (std::size_t j = 0; j < y.size(); ++j) anchor[j] = centre[j] = y[j] / 4;  // backward^2 / forward^2
  }
};

TEST(Curator, ADensityIsRecordedBeforeItIsDrawnFrom) {
  random::SeededBits bits(1);
  const RegularisedExponentialEvent event{2, 0.3, 10, 1e-6, 1e-9};
  const random::ProximalSettings settings{3, 4, 100, 100, 50, 1, 0, 1e6, 10};
  const Sensitive<std::unique_ptr<random::ProximalTarget>> target(std::make_unique<FlatTarget>());
  Curator curator(bits);
  EXPECT_EQ(curator.sample(target, event, settings, "weights").get().size(), 3u);
  EXPECT_EQ(curator.events(), (std::vector<PrivacyEvent>{{"weights", event}}));
  Curator other(bits, Neighbours::add_remove);
  EXPECT_THROW(other.sample(target, event, settings, "weights"), ArgumentError) << "proved for replace-one only";
  EXPECT_TRUE(other.events().empty());
}

}  // namespace
}  // namespace dperm::privacy
