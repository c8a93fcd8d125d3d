// SPDX-License-Identifier: Apache-2.0
// Public data sets, read from the folder named by DPERM_DATA; skipped where it does not hold them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/public_data.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

std::string adult_schema(int skip) {
  return "[format]\nheader = false\nskip_last_rows = 1\nskip_rows = " + std::to_string(skip) + R"(
column_names = ['age', 'workclass', 'fnlwgt', 'education', 'education-num', 'marital-status', 'occupation',
                'relationship', 'race', 'sex', 'capital-gain', 'capital-loss', 'hours-per-week', 'native-country', 'income']
[target]
column = 'income'
kind = 'binary'
positive = ['>50K', '>50K.']
[[column]]
name = 'age'
kind = 'integer'
lower = 17
upper = 90
[[column]]
name = 'workclass'
kind = 'category'
values = ['Private', 'Self-emp-not-inc', 'Self-emp-inc', 'Federal-gov', 'Local-gov', 'State-gov', 'Without-pay',
          'Never-worked']
missing = 'category'
[[column]]
name = 'sex'
kind = 'category'
values = ['Female', 'Male']
[[column]]
name = 'capital-gain'
kind = 'integer'
lower = 0
upper = 100000
scale = 'log'
)";
}

TEST(RealData, AdultHasItsPublishedCounts) {
  const std::string train = tests::public_data("adult/adult.data.gz");
  const std::string test = tests::public_data("adult/adult.test.gz");
  if (train.empty()) GTEST_SKIP() << tests::kNoPublicData;
  const auto rows = read_rows({train}, encoding_of(adult_schema(0)));
  ASSERT_EQ(rows.size(), 32561u);
  std::size_t positives = 0, missing = 0, male = 0, no_gain = 0;
  for (const Row& row : rows) {
    positives += row[4] == 1 ? 1u : 0u;
    missing += row[2] == 8 ? 1u : 0u;
    male += row[3] == 1 ? 1u : 0u;
    no_gain += row[1] == -32767 ? 1u : 0u;
  }
  EXPECT_EQ(positives, 7841u);
  EXPECT_EQ(missing, 1836u);
  EXPECT_EQ(male, 21790u);
  EXPECT_EQ(no_gain, 29849u);
  EXPECT_EQ(rows[0][0], std::lround((39 - 53.5) / 36.5 * 32767)) << "the first person is 39";
  const auto held_out = read_rows({test}, encoding_of(adult_schema(1)));
  ASSERT_EQ(held_out.size(), 16281u);
  EXPECT_EQ(std::count_if(held_out.begin(), held_out.end(), [](const Row& row) { return row[4] == 1; }), 3846);
}

TEST(RealData, AdultFitsItsSchema) {
  const std::string train = tests::public_data("adult/adult.data.gz");
  if (train.empty()) GTEST_SKIP() << tests::kNoPublicData;
  const CheckReport report = check_dataset({train}, *encoding_of(adult_schema(0)), {});
  EXPECT_EQ(report.rows, 32561u);
  for (const ColumnCheck& column : report.columns) {
    EXPECT_EQ(column.unreadable + column.out_of_bounds + column.unknown_values, 0u) << column.name;
    EXPECT_EQ(column.missing, column.name == "workclass" ? 1836u : 0u);
  }
}

TEST(RealData, A9aHasItsPublishedCounts) {
  const std::string path = tests::public_data("a9a/a9a.gz");
  if (path.empty()) GTEST_SKIP() << tests::kNoPublicData;
  const auto rows =
      read_rows({path}, encoding_of("[format]\nfile='libsvm'\n[target]\ncolumn='label'\nkind='binary'\n"
                                    "positive='+1'\n[[column]]\nrange=[1, 123]\nkind='integer'\nlower=0\nupper=1\n"));
  ASSERT_EQ(rows.size(), 32561u);
  std::size_t ones = 0, positives = 0;
  for (const Row& row : rows) {
    positives += row.back() == 1 ? 1u : 0u;
    for (std::size_t j = 0; j < 123; ++j) ones += row[j] == 32767 ? 1u : 0u;
  }
  EXPECT_EQ(ones, 451592u);
  EXPECT_EQ(positives, 7841u);
}

TEST(RealData, AcsParquetHasItsPublishedCounts) {
  const std::string path = tests::public_data("acs_income_2018/acs-income-2018-holdout.parquet");
  if (path.empty()) GTEST_SKIP() << tests::kNoPublicData;
  const auto rows = read_rows(
      {path}, encoding_of("[target]\ncolumn='Income'\nkind='binary'\nthreshold=50000\n[[column]]\nname='Age'\n"
                          "kind='integer'\nlower=0\nupper=99\n[[column]]\nname='Gender'\nkind='category'\n"
                          "values=['Male','Female']\n[[column]]\nname='Travel time to work'\nkind='integer'\nlower=0\n"
                          "upper=200\n"));
  ASSERT_EQ(rows.size(), 295243u);
  std::map<std::int64_t, std::size_t> genders;
  std::size_t positives = 0, midpoint = 0;
  for (const Row& row : rows) {
    ++genders[row[2]];
    positives += row[3] == 1 ? 1u : 0u;
    midpoint += row[1] == 0 ? 1u : 0u;
  }
  EXPECT_EQ(genders.size(), 2u) << "no unknown value";
  EXPECT_EQ(std::lround(10000.0 * static_cast<double>(positives) / 295243), 3964);
  EXPECT_GE(midpoint, 16638u) << "missing travel times go to the middle";
}

}  // namespace
}  // namespace dperm::data
