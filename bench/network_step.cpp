// SPDX-License-Identifier: Apache-2.0
// Time of one training step of a 784-256-10 network on batches of 1024 rows: without privacy (OpenBLAS in float), with
// clipped integer sums, and with noise as well, interleaved in one run on one thread.
// Usage: network_step [BATCH [REPETITIONS]]; text on standard error, JSON on standard output.
#include <cblas.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/engine/network/clipped_sum.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/schema/encoding.hpp"

namespace {

using namespace dperm;

constexpr std::size_t kPixels = 784, kHidden = 256, kClasses = 10;
constexpr std::size_t kRows = 20'000;
constexpr double kRate = 0.1;

data::TileSet random_tiles() {
  schema::Schema schema;
  for (std::size_t j = 0; j < kPixels; ++j) {
    schema::Column column;
    column.name = fmt::format("p{}", j);
    column.lower = -1;
    column.upper = 1;
    schema.columns.push_back(column);
  }
  schema.target.kind = schema::TargetKind::classes;
  schema.target.name = "digit";
  for (std::size_t k = 0; k < kClasses; ++k) schema.target.values.push_back(fmt::format("{}", k));
  const data::TileLayout layout{schema::Encoding(schema)};
  data::TileWriter writer(layout);
  writer.extend(kRows);
  std::mt19937_64 random(1);
  for (std::size_t row = 0; row < kRows; ++row) {
    const data::TileWriter::Piece piece = writer.piece(row);
    for (std::size_t j = 0; j < kPixels; ++j) {
      const auto q = static_cast<std::int16_t>(random() % 5 == 0 ? static_cast<int>(random() % 65535) - 32767 : -32767);
      std::memcpy(piece.tile + layout.real_offset(j) + sizeof q * piece.row, &q, sizeof q);
    }
    const auto digit = static_cast<std::int32_t>(random() % kClasses);
    std::memcpy(piece.tile + layout.target_offset() + sizeof digit * piece.row, &digit, sizeof digit);
  }
  return writer.finish();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// c (m x n) = a b, or a^T b.
void product(CBLAS_TRANSPOSE transpose, std::size_t m, std::size_t n, std::size_t k, const float* a,
             std::size_t a_stride, const float* b, float* c, CBLAS_TRANSPOSE transpose_b = CblasNoTrans) {
  const auto as_int = [](std::size_t x) { return static_cast<blasint>(x); };
  cblas_sgemm(CblasRowMajor, transpose, transpose_b, as_int(m), as_int(n), as_int(k), 1, a, as_int(a_stride), b,
              as_int(transpose_b == CblasTrans ? k : n), 0, c, as_int(n));
}

// An ordinary step of gradient descent in float: the whole batch in one product a layer.
class PlainNetwork {
 public:
  PlainNetwork(const std::vector<double>& weights, std::size_t batch)
      : weights_(weights.begin(), weights.end()),
        gradient_(weights.size()),
        inputs_(batch * kInputs),
        hidden_(batch * (kHidden + 1)),
        sums_(batch * kHidden),
        slopes_(batch * kHidden),
        scores_(batch * kClasses),
        targets_(batch) {}

  void step(const network::RowTable& table, const std::vector<std::size_t>& rows) {
    const std::size_t batch = rows.size();
    for (std::size_t r = 0; r < batch; ++r) {
      table.format().expand(table.row(rows[r]), inputs_.data() + r * kInputs);
      targets_[r] = table.format().target(table.row(rows[r]));
    }
    const float* second = weights_.data() + kInputs * kHidden;
    product(CblasNoTrans, batch, kHidden, kInputs, inputs_.data(), kInputs, weights_.data(), sums_.data());
    for (std::size_t r = 0; r < batch; ++r) {
      float* out = hidden_.data() + r * (kHidden + 1);
      *out++ = 1;
      for (std::size_t o = 0; o < kHidden; ++o) out[o] = std::max(sums_[r * kHidden + o], 0.0f);
    }
    product(CblasNoTrans, batch, kClasses, kHidden + 1, hidden_.data(), kHidden + 1, second, scores_.data());
    for (std::size_t r = 0; r < batch; ++r) {
      float* row = scores_.data() + r * kClasses;
      network::slopes({.kind = loss::LossKind::softmax}, {row, kClasses}, targets_[r], row);
    }
    product(CblasNoTrans, batch, kHidden, kClasses, scores_.data(), kClasses, second + kClasses, slopes_.data(),
            CblasTrans);
    for (std::size_t i = 0; i < batch * kHidden; ++i) slopes_[i] = sums_[i] > 0 ? slopes_[i] : 0;
    product(CblasTrans, kInputs, kHidden, batch, inputs_.data(), kInputs, slopes_.data(), gradient_.data());
    product(CblasTrans, kHidden + 1, kClasses, batch, hidden_.data(), kHidden + 1, scores_.data(),
            gradient_.data() + kInputs * kHidden);
    const float rate = static_cast<float>(kRate) / static_cast<float>(batch);
    for (std::size_t w = 0; w < weights_.size(); ++w) weights_[w] -= rate * gradient_[w];
  }

 private:
  static constexpr std::size_t kInputs = kPixels + 1;
  std::vector<float> weights_, gradient_, inputs_, hidden_, sums_, slopes_, scores_;
  std::vector<std::int32_t> targets_;
};

class PrivateNetwork {
 public:
  PrivateNetwork(network::Shape shape, std::vector<double> weights)
      : shape_(std::move(shape)), weights_(std::move(weights)), noise_(weights_.size()) {}

  // Returns the seconds until the sum was there.
  double step(const network::RowTable& table, const std::vector<std::size_t>& rows, bool noisy) {
    const double start = cpu_seconds();
    const network::ClippedQuery query{shape_, {.kind = loss::LossKind::softmax}, weights_, kClip};
    std::vector<std::int64_t> sum = network::clipped_gradient_sum(table, rows, query, {1});
    const double summed = cpu_seconds() - start;
    if (noisy) {
      random::rounded_gaussians(bits_, network::kPresenceSensitivity, noise_);
      for (std::size_t w = 0; w < sum.size(); ++w) sum[w] += noise_[w];
    }
    const double rate = kRate * network::step_size(kClip) / static_cast<double>(rows.size());
    for (std::size_t w = 0; w < sum.size(); ++w) weights_[w] -= rate * static_cast<double>(sum[w]);
    return summed;
  }

 private:
  static constexpr double kClip = 1;
  network::Shape shape_;
  std::vector<double> weights_;
  std::vector<std::int64_t> noise_;
  random::SecureBits bits_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t batch = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 41;
  openblas_set_num_threads(1);
  const network::Shape shape{kPixels + 1, {kHidden}, kClasses, network::Activation::relu};
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal(0, 0.03);
  std::vector<double> weights(network::weight_count(shape));
  for (double& w : weights) w = normal(random);
  const network::RowTable table(random_tiles(), {1});
  PlainNetwork plain(weights, batch);
  PrivateNetwork clipped(shape, weights), noisy(shape, weights);
  std::vector<double> plain_times, sum_times, clipped_times, noisy_times, clipped_ratios, noisy_ratios;
  for (int i = 0; i < repetitions; ++i) {
    std::vector<std::size_t> all(kRows), rows;
    for (std::size_t r = 0; r < kRows; ++r) all[r] = r;
    std::sample(all.begin(), all.end(), std::back_inserter(rows), static_cast<std::ptrdiff_t>(batch), random);
    const double start = cpu_seconds();
    plain.step(table, rows);
    const double after_plain = cpu_seconds();
    sum_times.push_back(clipped.step(table, rows, false));
    const double after_clipped = cpu_seconds();
    noisy.step(table, rows, true);
    const double after_noisy = cpu_seconds();
    plain_times.push_back(after_plain - start);
    clipped_times.push_back(after_clipped - after_plain);
    noisy_times.push_back(after_noisy - after_clipped);
    clipped_ratios.push_back(clipped_times.back() / plain_times.back());
    noisy_ratios.push_back(noisy_times.back() / plain_times.back());
  }
  fmt::print(stderr,
             "network 784-256-10, {} weights, batch {}, one thread, CPU time, medians of {}\n"
             "plain step, OpenBLAS float        {:7.2f} ms\n"
             "clipped integer sum alone         {:7.2f} ms\n"
             "step with clipping                {:7.2f} ms   {:.2f} times plain\n"
             "step with clipping and noise      {:7.2f} ms   {:.2f} times plain\n",
             weights.size(), batch, repetitions, 1e3 * median(plain_times), 1e3 * median(sum_times),
             1e3 * median(clipped_times), median(clipped_ratios), 1e3 * median(noisy_times), median(noisy_ratios));
  fmt::print(
      "{{\"batch\": {}, \"plain_s\": {:.4g}, \"clipped_s\": {:.4g}, \"noisy_s\": {:.4g}, \"clipped_ratio\": {:.3f}, "
      "\"noisy_ratio\": {:.3f}}}\n",
      batch, median(plain_times), median(clipped_times), median(noisy_times), median(clipped_ratios),
      median(noisy_ratios));
}
