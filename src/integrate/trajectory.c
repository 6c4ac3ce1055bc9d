// trajectory.c: the points of a run and the polynomial of each step, append-only, for every method.
// Values between the points are dense.c's business.
#include "integrate/stepper.h"

#include <math.h>
#include <string.h>

// Chunk k holds FIRST << min(k, DOUBLINGS) points, so that short runs are small and long ones waste little. A row of a
// point: time, state (n), pieces of the step that arrives there (pieces x n). Rows never move.
enum { FIRST = 16, DOUBLINGS = 6, LARGEST = FIRST << DOUBLINGS };
enum { MARKS = 256 };                  // forgotten points that are remembered for checks of the run
#define DEEPER 0.7L                    // of what the inertia was: where it is less, the point is remembered

struct hml_trajectory {
  hml_context *context;
  size_t n, pieces, row;               // row: doubles of a point
  size_t points;
  double **chunks;
  size_t chunk_count, chunk_room;      // allocated chunks, length of the array
  double *marks;                       // of the points that were forgotten every stride-th, a power of two: time and state (n) each
  size_t mark_count, stride, forgotten;
  double *deepest;                     // of all points the one where the inertia was least: time and state (n)
  long double inertia;                 // there
};

static size_t chunk_capacity(size_t k) {
  return (size_t)FIRST << (k < DOUBLINGS ? k : DOUBLINGS);
}

// Where point i lies: with FIRST added, chunk k < DOUBLINGS holds the numbers from FIRST << k to twice that
static double *row_of(const hml_trajectory *r, size_t i) {
  size_t place = i + FIRST, k = 0;
  if (place >= LARGEST) {
    k = DOUBLINGS + (place - LARGEST) / LARGEST;
    return r->chunks[k] + (place - LARGEST) % LARGEST * r->row;
  }
  while (place >= (size_t)FIRST << (k + 1)) k++;
  return r->chunks[k] + (place - ((size_t)FIRST << k)) * r->row;
}

static size_t room(const hml_trajectory *r) {
  size_t k = r->chunk_count;
  return k <= DOUBLINGS ? ((size_t)FIRST << k) - FIRST : LARGEST - FIRST + (k - DOUBLINGS) * LARGEST;
}

hml_status hml_trajectory__new(hml_context *c, size_t n, size_t pieces, hml_trajectory **out) {
  hml_trajectory *r = hml_alloc(c, sizeof *r);
  if (!r) return HML_MEMORY;
  *r = (hml_trajectory){.context = c, .n = n, .pieces = pieces, .row = 1 + n + pieces * n};
  *out = r;
  return HML_OK;
}

hml_status hml_trajectory__fits(hml_context *c, const hml_trajectory *r, size_t n, size_t pieces, double t, const double *y) {
  if (r->n != n || r->pieces != pieces || r->points == 0) return hml_fail(c, HML_ARGUMENT, "run: the trajectory to continue is of another shape");
  const double *last = row_of(r, r->points - 1);
  if (last[0] != t || memcmp(last + 1, y, n * sizeof *y) != 0)
    return hml_fail(c, HML_ARGUMENT, "run: the trajectory to continue ends at t = %.15g, not where this run begins, t = %.15g", last[0], t);
  return HML_OK;
}

void hml_trajectory_free(hml_trajectory *r) {
  if (!r) return;
  for (size_t k = 0; k < r->chunk_count; k++)
    hml_dealloc(r->context, r->chunks[k], chunk_capacity(k) * r->row * sizeof(double));
  hml_dealloc(r->context, r->chunks, r->chunk_room * sizeof *r->chunks);
  hml_dealloc(r->context, r->marks, MARKS * (1 + r->n) * sizeof *r->marks);
  hml_dealloc(r->context, r->deepest, (1 + r->n) * sizeof *r->deepest);
  hml_dealloc(r->context, r, sizeof *r);
}

static hml_status add_chunk(hml_trajectory *r) {
  if (r->chunk_count == r->chunk_room) {
    size_t wanted = r->chunk_room ? 2 * r->chunk_room : 8;
    double **bigger = r->chunks ? hml_realloc(r->context, r->chunks, r->chunk_room * sizeof *bigger, wanted * sizeof *bigger)
                                : hml_alloc(r->context, wanted * sizeof *bigger);
    if (!bigger) return HML_MEMORY;
    r->chunks = bigger;
    r->chunk_room = wanted;
  }
  double *chunk = hml_realloc(r->context, NULL, 0, chunk_capacity(r->chunk_count) * r->row * sizeof *chunk);          // rows are written before they are read
  if (!chunk) return HML_MEMORY;
  r->chunks[r->chunk_count++] = chunk;
  return HML_OK;
}

hml_status hml_trajectory__reserve(hml_trajectory *r, double **y, double **piece) {
  if (r->points == room(r)) HML_TRY(add_chunk(r));
  double *row = row_of(r, r->points);
  *y = row + 1;
  *piece = row + 1 + r->n;
  return HML_OK;
}

static double *mark_of(const hml_trajectory *r, size_t i) {
  return r->marks + i * (1 + r->n);
}

// Remembers the next point that is forgotten where its number is a multiple of the stride, which doubles when the room is full
static void mark(hml_trajectory *r, const double *row) {
  if (++r->forgotten % r->stride != 0) return;
  if (r->mark_count == MARKS) {
    for (size_t i = 1; i < MARKS; i += 2) memcpy(mark_of(r, i / 2), mark_of(r, i), (1 + r->n) * sizeof(double));
    r->mark_count = MARKS / 2;
    r->stride *= 2;
    if (r->forgotten % r->stride != 0) return;
  }
  memcpy(mark_of(r, r->mark_count++), row, (1 + r->n) * sizeof(double));
}

hml_status hml_trajectory__forget(hml_trajectory *r, size_t kept) {
  if (r->points <= kept + 1) return HML_OK;
  if (!r->marks) {
    r->marks = hml_alloc(r->context, MARKS * (1 + r->n) * sizeof *r->marks);
    if (!r->marks) return HML_MEMORY;
    r->stride = 1;
  }
  for (size_t i = 1; i + kept < r->points; i++) mark(r, row_of(r, i));
  for (size_t i = 0, from = r->points - kept; i < kept; i++) memcpy(row_of(r, 1 + i), row_of(r, from + i), r->row * sizeof(double));
  r->points = 1 + kept;
  return HML_OK;
}

size_t hml_trajectory_marks(const hml_trajectory *r) {
  return r->mark_count;
}

double hml_trajectory_mark_time(const hml_trajectory *r, size_t i) {
  return i < r->mark_count ? mark_of(r, i)[0] : NAN;
}

const double *hml_trajectory_mark(const hml_trajectory *r, size_t i) {
  return i < r->mark_count ? mark_of(r, i) + 1 : NULL;
}

hml_status hml_trajectory__note_inertia(hml_trajectory *r, long double inertia, double t, const double *y) {
  if (r->deepest && !(inertia < DEEPER * r->inertia)) return HML_OK;
  if (!r->deepest) r->deepest = hml_alloc(r->context, (1 + r->n) * sizeof *r->deepest);
  if (!r->deepest) return HML_MEMORY;
  r->inertia = inertia;
  r->deepest[0] = t;
  memcpy(r->deepest + 1, y, r->n * sizeof *y);
  return HML_OK;
}

const double *hml_trajectory_deepest(const hml_trajectory *r, double *t) {
  if (!r->deepest) return NULL;
  *t = r->deepest[0];
  return r->deepest + 1;
}

void hml_trajectory__cut(hml_trajectory *r, size_t points) {
  if (points < r->points) r->points = points;
}

void hml_trajectory__commit(hml_trajectory *r, double t) {
  row_of(r, r->points++)[0] = t;
}

hml_context *hml_trajectory__context(const hml_trajectory *r) {
  return r->context;
}

size_t hml_trajectory__pieces(const hml_trajectory *r) {
  return r->pieces;
}

const double *hml_trajectory__piece(const hml_trajectory *r, size_t i) {
  return row_of(r, i) + 1 + r->n;
}

size_t hml_trajectory_size(const hml_trajectory *r) {
  return r->n;
}

size_t hml_trajectory_points(const hml_trajectory *r) {
  return r->points;
}

double hml_trajectory_time(const hml_trajectory *r, size_t i) {
  return i < r->points ? row_of(r, i)[0] : NAN;
}

const double *hml_trajectory_state(const hml_trajectory *r, size_t i) {
  return i < r->points ? row_of(r, i) + 1 : NULL;
}

// The first point at or after t in the direction of the run; t lies in the span
static size_t find_point(const hml_trajectory *r, double t, double sign) {
  size_t low = 0, high = r->points - 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((row_of(r, middle)[0] - t) * sign < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t hml_trajectory_point_at(const hml_trajectory *r, double t) {
  return find_point(r, t, row_of(r, r->points - 1)[0] < row_of(r, 0)[0] ? -1 : 1);
}

// The same, walked to from a point nearby
static size_t find_near(const hml_trajectory *r, double t, double sign, size_t near) {
  enum { FAR = 8 };
  size_t i = near < r->points ? near : 0, last = r->points - 1, steps = 0;
  for (; steps < FAR && i > 0 && (row_of(r, i - 1)[0] - t) * sign >= 0; steps++) i--;
  for (; steps < FAR && i < last && (row_of(r, i)[0] - t) * sign < 0; steps++) i++;
  return steps < FAR ? i : find_point(r, t, sign);
}

hml_status hml_trajectory_at(const hml_trajectory *r, double t, double *x) {
  size_t near = r->points;
  return hml_trajectory__at_near(r, t, &near, x);
}

hml_status hml_trajectory__at_near(const hml_trajectory *r, double t, size_t *near, double *x) {
  double first = row_of(r, 0)[0], last = row_of(r, r->points - 1)[0], sign = last < first ? -1 : 1;
  if (!((t - first) * sign >= 0 && (last - t) * sign >= 0))
    return hml_fail(r->context, HML_ARGUMENT, "trajectory: t = %.15g is outside of the run, which spans %.15g to %.15g",
                    t, first, last);
  size_t i = *near < r->points ? find_near(r, t, sign, *near) : find_point(r, t, sign);
  *near = i;
  const double *here = row_of(r, i);
  if (here[0] == t) {
    memcpy(x, here + 1, r->n * sizeof *x);
    return HML_OK;
  }
  const double *before = row_of(r, i - 1);
  if (r->pieces == 0)
    return hml_fail(r->context, HML_ARGUMENT,
                    "trajectory: t = %.15g lies between the steps %.15g and %.15g of a run made without dense output; "
                    "take one of its points, or run with dense", t, before[0], here[0]);
  hml_dense__value(r->n, r->pieces, before + 1, here + 1 + r->n, (t - before[0]) / (here[0] - before[0]), x);
  return HML_OK;
}

// ---- as one block of bytes: three counts, then the points

size_t hml_trajectory_stored_size(const hml_trajectory *r) {
  return 3 * sizeof(uint64_t) + r->points * r->row * sizeof(double);
}

void hml_trajectory_store(const hml_trajectory *r, void *block) {
  const uint64_t counts[3] = {r->n, r->pieces, r->points};
  char *at = block;
  memcpy(at, counts, sizeof counts);
  at += sizeof counts;
  for (size_t i = 0; i < r->points; i++, at += r->row * sizeof(double)) memcpy(at, row_of(r, i), r->row * sizeof(double));
}

// Times go one way; states and times are finite. Nothing of the block is trusted.      fails: HML_ARGUMENT where it is no such block
hml_status hml_trajectory_restore(hml_context *c, const void *block, size_t size, hml_trajectory **out) {
  uint64_t counts[3];
  const char *at = block;
  *out = NULL;
  if (size < sizeof counts) return hml_fail(c, HML_ARGUMENT, "trajectory: %zu bytes are too few", size);
  memcpy(counts, at, sizeof counts);
  const uint64_t most = UINT64_C(1) << 40;
  if (counts[0] == 0 || counts[0] > 1000000 || counts[1] > 1000 || counts[2] == 0 || counts[2] > most)
    return hml_fail(c, HML_ARGUMENT, "trajectory: the counts of the block are impossible");
  uint64_t row = 1 + counts[0] + counts[1] * counts[0];
  if (counts[2] > (most / row) || size != sizeof counts + counts[2] * row * sizeof(double))
    return hml_fail(c, HML_ARGUMENT, "trajectory: %zu bytes do not hold %llu points", size, (unsigned long long)counts[2]);
  hml_trajectory *r;
  HML_TRY(hml_trajectory__new(c, counts[0], counts[1], &r));
  at += sizeof counts;
  hml_status status = HML_OK;
  for (uint64_t i = 0; i < counts[2] && status == HML_OK; i++, at += row * sizeof(double)) {
    double *y, *piece, t;
    status = hml_trajectory__reserve(r, &y, &piece);
    if (status != HML_OK) break;
    memcpy(&t, at, sizeof t);
    memcpy(y, at + sizeof t, (row - 1) * sizeof(double));
    bool finite = isfinite(t);
    for (uint64_t k = 0; k < counts[0]; k++) finite = finite && isfinite(y[k]);
    if (!finite) status = hml_fail(c, HML_ARGUMENT, "trajectory: point %llu is not finite", (unsigned long long)i + 1);
    hml_trajectory__commit(r, t);
  }
  double sign = status == HML_OK && hml_trajectory_time(r, r->points - 1) < hml_trajectory_time(r, 0) ? -1 : 1;
  for (size_t i = 1; status == HML_OK && i < r->points; i++)
    if (!(sign * (hml_trajectory_time(r, i) - hml_trajectory_time(r, i - 1)) >= 0))
      status = hml_fail(c, HML_ARGUMENT, "trajectory: the times of the block go both ways");
  if (status == HML_OK) *out = r;
  else hml_trajectory_free(r);
  return status;
}
