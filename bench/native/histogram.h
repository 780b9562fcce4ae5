/* A histogram of nanoseconds with 128 linear steps to each power of two: within 0.8 %. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

enum { STEP_BITS = 7, STEPS = 1 << STEP_BITS, OCTAVES = 40, BUCKETS = STEPS * (OCTAVES + 1) };

struct histogram {
    uint64_t counts[BUCKETS];
    uint64_t total;
    uint64_t sum;
    uint64_t max;
};

/* Values below 128 ns have a bucket each; above, the seven bits after the leading one decide. */
static inline unsigned histogram_bucket(uint64_t value) {
    if (value < STEPS) return (unsigned)value;
    unsigned octave = 63u - (unsigned)__builtin_clzll(value) - STEP_BITS;
    unsigned bucket = (octave << STEP_BITS) + (unsigned)(value >> octave);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The largest value that falls into a bucket. */
static inline uint64_t histogram_upper(unsigned bucket) {
    if (bucket < 2 * STEPS) return bucket;
    unsigned octave = (bucket >> STEP_BITS) - 1;
    uint64_t step = (bucket & (STEPS - 1)) + STEPS;
    return ((step + 1) << octave) - 1;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value) {
    histogram->counts[histogram_bucket(value)]++;
    histogram->total++;
    histogram->sum += value;
    if (value > histogram->max) histogram->max = value;
}

/* The smallest recorded value that at least `share` of all values do not exceed. */
static inline uint64_t histogram_quantile(const struct histogram *histogram, double share) {
    uint64_t wanted = (uint64_t)(share * (double)histogram->total + 0.999999);
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        seen += histogram->counts[bucket];
        if (seen >= wanted && seen) {
            uint64_t upper = histogram_upper(bucket);
            return upper < histogram->max ? upper : histogram->max;
        }
    }
    return histogram->max;
}

#endif
