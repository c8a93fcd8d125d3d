// SPDX-License-Identifier: Apache-2.0
#include "dperm/infer/infer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "dperm/core/error.hpp"
#include "dperm/infer/bounds.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/schema/inferred.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::infer {
namespace {

class Infer : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = "/tmp/dperm-infer-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  // Ages 20 to 69, incomes that are mostly zero, three towns of which one is one man's, a target.
  std::string table(int rows) const {
    std::string text = "age,income,town,name,label\n";
    for (int i = 0; i < rows; ++i) {
      const std::string town = i == 7 ? "Nowhere" : i % 3 == 0 ? "Ulm" : "Jena";
      text += std::to_string(20 + i % 50) + "," + (i % 4 == 0 ? std::to_string(1000 + i % 8000) : "0") + "," + town +
              ",p" + std::to_string(i) + "," + (i % 5 == 0 ? "yes" : "no") + "\n";
    }
    return file("table.csv", text);
  }

  std::filesystem::path folder_;
};

TEST_F(Infer, FindsKindsBoundsAndCommonValuesAndHidesRareOnes) {
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const data::RawTable raw{{table(20'000)}, {}, 1};
  const Facts facts = ask(raw, {{"age"}, {"income"}, {"town"}, {"name"}, {"label"}}, {1, 1e-6}, curator);
  EXPECT_EQ(facts.rows, 20'000u);
  EXPECT_EQ(facts.columns[0].kind, ColumnFacts::Kind::number);
  EXPECT_GE(facts.columns[0].lower, 10);
  EXPECT_LE(facts.columns[0].lower, 20);
  EXPECT_GE(facts.columns[0].upper, 69);
  EXPECT_LE(facts.columns[0].upper, 90);
  EXPECT_EQ(facts.columns[1].scale, schema::Scale::log);
  EXPECT_EQ(facts.columns[1].lower, 0);
  EXPECT_GT(facts.columns[1].upper, 7000);
  ASSERT_EQ(facts.columns[2].values.size(), 2u);
  EXPECT_EQ(facts.columns[2].values[0].value, "Jena");
  EXPECT_EQ(facts.columns[2].values[1].value, "Ulm");
  EXPECT_EQ(facts.columns[3].kind, ColumnFacts::Kind::nothing);
  EXPECT_EQ(facts.columns[4].values.size(), 2u);
}

TEST_F(Infer, SpendsItsBudgetAndNoMore) {
  for (const double epsilon : {0.2, 1.0, 4.0}) {
    random::SeededBits bits(2);
    privacy::Curator curator(bits);
    const data::RawTable raw{{table(30'000)}, {}, 1};
    ask(raw, {{"age"}, {"income", Unknown::bounds}, {"town", Unknown::values}}, {epsilon, 1e-7}, curator);
    const privacy::Guarantee spent = privacy::account(curator.events(), 1e-7);
    EXPECT_LE(spent.epsilon, epsilon);
    EXPECT_GE(spent.epsilon, 0.9 * epsilon);
    EXPECT_EQ(curator.events().size(), 5u);  // kinds, sizes, places, closer places of ages, values
  }
}

TEST_F(Infer, AReplacedRecordMovesOneUnitInEachColumn) {
  const std::string head = "a,b\n1,x\n2.5,y\n";
  const data::RawTable first{{file("first.csv", head + "3,z\n")}, {}, 1};
  const std::vector<data::ColumnBins> bins = {{{"a"}, kCoarseBins, coarse_bin}, {{"b"}, kCoarseBins, coarse_bin}};
  using Access = SensitiveTestAccess;
  const auto distance = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>((a[i] - b[i]) * (a[i] - b[i]));
    return std::sqrt(sum);
  };
  for (const std::string record : {",", "nan,inf", "1e400,-1e400", "\"x\",7", "0,0", "-1,\xff\xfe", "  1 , y "}) {
    const data::RawTable second{{file("second.csv", head + record + "\n")}, {}, 1};
    EXPECT_LE(distance(Access::open(data::kind_counts(first, {{"a"}, {"b"}}).counts),
                       Access::open(data::kind_counts(second, {{"a"}, {"b"}}).counts)),
              2)
        << record;
    EXPECT_LE(distance(Access::open(data::histograms(first, bins).counts),
                       Access::open(data::histograms(second, bins).counts)),
              2)
        << record;
    std::int64_t moved = 0;
    const auto counted = data::value_counts(second, {"a", "b"});
    for (const auto& column : Access::open(counted.counts)) {
      for (const auto& [value, count] : column) moved += count;
    }
    EXPECT_LE(moved, 6) << record;  // two columns of three cells
  }
}

TEST_F(Infer, ValuesAreCountedOnceAndOddTextsAreNone) {
  const std::string odd = "v\n a \na\n?\nb\n\xff\nc\x01\n" + std::string(300, 'x') + "\n\xc3\xa9\n\xc0\x80\n";
  const data::RawTable raw{{file("odd.csv", odd)}, {}, 1};
  auto counts = SensitiveTestAccess::open(data::value_counts(raw, {"v"}).counts);
  std::sort(counts[0].begin(), counts[0].end());
  const std::vector<std::pair<std::string, std::int64_t>> expected = {{"a", 2}, {"b", 1}, {"\xc3\xa9", 1}};
  EXPECT_EQ(counts[0], expected);
}

TEST_F(Infer, TooFewRowsAreRefusedBeforeAnythingIsSpent) {
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const data::RawTable raw{{table(500)}, {}, 1};
  EXPECT_THROW(ask(raw, {{"age"}, {"income"}}, {0.2, 1e-7}, curator), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
  EXPECT_THROW(ask(raw, {{"age"}}, {1, 0}, curator), ArgumentError);
  EXPECT_THROW(ask(raw, {}, {1, 1e-7}, curator), ArgumentError);
}

// Numbers of persons are no feature: their name and the width of what was released say so. Codes are none of them.
TEST_F(Infer, NumbersOfPersonsAreLeftOut) {
  random::SeededBits bits(3);
  std::string text = "patient_nbr,type_id,amount,y\n";
  for (int i = 0; i < 20'000; ++i) {
    text += fmt::format("{},{},{},{}\n", 100'000 + 37 * (i % 7000), 1 + i % 4, 100'000 + 31 * (i % 9000), i % 2);
  }
  auto draft = schema::Draft::of_columns({"patient_nbr", "type_id", "amount", "y"}, {});
  draft.set_target("y", "");
  const Filled filled = fill(std::move(draft), {{file("ids.csv", text)}, {}, 1}, {1, 1e-6}, bits);
  EXPECT_EQ(filled.identifiers, std::vector<std::string>{"patient_nbr"});
  EXPECT_EQ(filled.schema.identifiers, std::vector<std::string>{"patient_nbr"});
  ASSERT_EQ(filled.schema.columns.size(), 2u);
  EXPECT_EQ(filled.schema.columns[0].name, "type_id");
  EXPECT_EQ(filled.schema.columns[1].name, "amount");
  EXPECT_TRUE(filled.left_out.empty());
}

TEST_F(Infer, ADraftIsFilledAndSealed) {
  random::SeededBits bits(3);
  const std::string path = table(20'000);
  auto draft = schema::Draft::of_columns({"age", "income", "town", "name", "label"}, {});
  draft.set_target("label", "");
  draft.set_bounds("income", 0, 9000, schema::Scale::linear, "real");  // documented
  const Filled filled = fill(std::move(draft), {{path}, {}, 1}, {1, 1e-6}, bits);
  EXPECT_EQ(filled.inferred, (std::vector<std::string>{"age", "town", "label"}));
  EXPECT_EQ(filled.left_out, std::vector<std::string>{"name"});
  EXPECT_EQ(filled.schema.target.kind, schema::TargetKind::binary);
  EXPECT_EQ(filled.schema.target.positive, std::vector<std::string>{"yes"});  // the rarer one
  EXPECT_TRUE(filled.schema.columns[1].inferred.empty());
  EXPECT_FALSE(filled.schema.inferred.at(0).is_private);

  const std::string text = schema::to_toml(filled.schema);
  EXPECT_EQ(schema::parse_schema(text, "x"), filled.schema);
  schema::Schema changed = filled.schema;
  changed.columns[0].upper += 1;
  EXPECT_THROW(schema::validate(changed), DataError);
  changed = filled.schema;
  changed.inferred.clear();
  EXPECT_THROW(schema::validate(changed), DataError);
  changed = filled.schema;
  changed.inferred[0].epsilon = 0.1;
  EXPECT_THROW(schema::validate(changed), DataError);
  changed = filled.schema;
  changed.columns[0].upper = 120;  // now from documentation
  changed.columns[0].inferred.clear();
  EXPECT_NO_THROW(schema::validate(changed));
  const Total sum = total(filled.schema, {.epsilon = 1, .delta = 1e-6});
  EXPECT_DOUBLE_EQ(sum.epsilon, 2);
  EXPECT_DOUBLE_EQ(sum.delta, 2e-6);
  EXPECT_EQ(events_of(filled.schema.inferred[0]).size(), 5u);
}

}  // namespace
}  // namespace dperm::infer
