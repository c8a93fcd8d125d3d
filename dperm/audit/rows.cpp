// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/tile_writer.hpp"

namespace dperm::audit {

namespace {

double uniform(random::BitSource& bits) { return static_cast<double>(bits.next() >> 11) * 0x1p-53; }

std::uint32_t below(random::BitSource& bits, std::uint32_t bound) {
  return static_cast<std::uint32_t>(uniform(bits) * bound);  // made-up rows need no exact evenness
}

Row random_row(const schema::Encoding& encoding, random::BitSource& bits) {
  Row row;
  for (const schema::RealCode& each : encoding.reals()) {
    const std::int32_t q = static_cast<std::int32_t>(below(bits, 65535)) - 32767;
    row.reals.push_back(static_cast<std::int16_t>(each.from_zero ? std::abs(q) : q));
  }
  for (const schema::CategoryCode& each : encoding.categories()) row.codes.push_back(below(bits, each.levels));
  return row;
}

// A number in about [-1, 1] that depends on every column, by weights drawn once.
struct HiddenRule {
  std::vector<double> of_reals;
  std::vector<std::vector<double>> of_codes;

  HiddenRule(const schema::Encoding& encoding, random::BitSource& bits) {
    for (std::size_t j = 0; j < encoding.reals().size(); ++j) of_reals.push_back(2 * uniform(bits) - 1);
    for (const schema::CategoryCode& each : encoding.categories()) {
      std::vector<double>& weights = of_codes.emplace_back();
      for (std::uint32_t level = 0; level <= each.levels; ++level) weights.push_back(2 * uniform(bits) - 1);
    }
  }
  double operator()(const Row& row) const {
    double sum = 0;
    for (std::size_t j = 0; j < row.reals.size(); ++j) sum += of_reals[j] * row.reals[j] / 32767.0;
    for (std::size_t c = 0; c < row.codes.size(); ++c) sum += of_codes[c][row.codes[c]];
    return sum / std::sqrt(static_cast<double>(std::max<std::size_t>(1, row.reals.size() + row.codes.size())));
  }
};

std::int32_t target_of(const schema::Target& target, double score) {
  if (target.kind == schema::TargetKind::binary) return score > 0 ? 1 : -1;
  const double part = std::clamp(score, -1.0, 1.0);
  if (target.kind == schema::TargetKind::classes) {
    const double classes = static_cast<double>(target.values.size());
    return static_cast<std::int32_t>(std::min(classes - 1, std::floor((part + 1) / 2 * classes)));
  }
  return static_cast<std::int32_t>(part * kTargetOne);
}

}  // namespace

data::Dataset dataset_of(std::shared_ptr<const schema::Encoding> encoding, const Rows& rows) {
  ensure(!rows.empty(), "a dataset of an audit needs rows");
  const data::TileLayout layout(*encoding);
  data::TileWriter writer(layout);
  writer.extend(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    ensure(row.reals.size() == layout.real_count() && row.codes.size() == layout.category_count(),
           "a row of an audit has other columns than its schema");
    const data::TileWriter::Piece piece = writer.piece(i);
    for (std::size_t j = 0; j < row.reals.size(); ++j) {
      std::memcpy(piece.tile + layout.real_offset(j) + sizeof(std::int16_t) * piece.row, &row.reals[j],
                  sizeof(std::int16_t));
    }
    for (std::size_t c = 0; c < row.codes.size(); ++c) {
      const auto width = static_cast<std::size_t>(layout.category_width(c));  // little-endian, as all of dperm is
      std::memcpy(piece.tile + layout.category_offset(c) + width * piece.row, &row.codes[c], width);
    }
    std::memcpy(piece.tile + layout.target_offset() + sizeof(std::int32_t) * piece.row, &row.target,
                sizeof(std::int32_t));
  }
  const data::EncodedRows encoded{rows.size(), Sensitive(writer.finish()),
                                  Sensitive(std::shared_ptr<const data::FilledRows>{})};
  return {std::move(encoding), encoded};
}

Rows synthetic_rows(const schema::Encoding& encoding, std::size_t rows, random::BitSource& bits) {
  const HiddenRule rule(encoding, bits);
  Rows result;
  result.reserve(rows);
  while (result.size() < rows) {
    Row row = random_row(encoding, bits);
    row.target = target_of(encoding.schema().target, rule(row) + (uniform(bits) - 0.5) / 2);
    result.push_back(std::move(row));
  }
  return result;
}

std::vector<double> features(const schema::Encoding& encoding, const Row& row) {
  ensure(!encoding.has_knots(), "features of curves are the engine's business");
  const double scale = 1 / std::sqrt(static_cast<double>(encoding.columns()));
  std::vector<double> x(encoding.dimension(), 0.0);
  x[0] = scale;
  for (std::size_t j = 0; j < row.reals.size(); ++j) x[encoding.reals()[j].weight] = scale * row.reals[j] / 32767.0;
  for (std::size_t c = 0; c < row.codes.size(); ++c) {
    const schema::CategoryCode& code = encoding.categories()[c];
    if (row.codes[c] < code.levels) x[code.first_weight + row.codes[c]] = scale;
  }
  return x;
}

}  // namespace dperm::audit
