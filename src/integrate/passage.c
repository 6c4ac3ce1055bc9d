// passage.c: motions that pass close to a singular place: steps there meet tighter tolerances, and the passage is compared with a fine run
// from its base, the last point clear of such places. Places that end the run: barrier.c.
#include "integrate/march.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEEP 1e-6                      // of the margins, which go with squares of distances: depth at which the way since the base is examined
#define GROWTH (1.0 / 3)               // steps get tighter with this power of the depth
#define TIGHTEST 1e-13                 // tolerance that they have to meet at most
#define DOUBTFUL 20                    // units of the tolerance: a larger error of a passage is reported
#define DOUBTFUL_FIXED 1e7             // the same for steps of fixed size, whose errors have nothing to do with the tolerance
#define ENERGY_DOUBTFUL 300            // of its own tolerance: what the energy may be off behind a passage

void hml_march__set_base(hml_march *r, double t, const double *y, const double *f) {
  r->base_age = 0;
  r->closest = 1;
  r->steep = false;
  r->deep = DEEP;
  r->base_t = t;
  memcpy(r->base_y, y, r->problem.n * sizeof *y);
  memcpy(r->base_f, f, r->problem.n * sizeof *f);
}

static void doubt_passage(hml_march *r, double from, double to, const hml_way_errors *e) {
  hml_outcome *o = r->problem.outcome;
  bool tight = fmax(r->options.rtol, r->options.atol) <= 100 * TIGHTEST;
  char how[120] = "it could not be followed at tighter tolerances";
  if (isfinite(e->difference))
    snprintf(how, sizeof how, "behind it %s is off by about %.2g", hml_problem__name(r->problem.ode, e->worst).text, e->difference);
  snprintf(o->doubt, sizeof o->doubt, "the motion passes close to a singular place between t = %.10g and t = %.10g, where errors grow: %s; %s", from, to, how,
           e->rounding ? "rounding leaves the accelerations too few digits there, since masses or lengths differ by many orders of magnitude; take elimination = \"refined\""
           : r->method->fixed ? "take a smaller step" : tight ? "tolerances this tight leave rounding only; take coordinates that are regular there"
           : "tighten rtol and atol, or take coordinates that are regular there");
}

static hml_status doubt_energy(hml_march *r, const hml_step *way, double off) {
  hml_outcome *o = r->problem.outcome;
  if (off <= r->doubt) return HML_OK;
  r->doubt = off;
  snprintf(o->doubt, sizeof o->doubt, "the motion passes close to a singular place between t = %.10g and t = %.10g, where errors grow and rounding counts: "
           "behind it the energy is off by about %.2g times what the tolerances explain; loosen them, or take coordinates that are regular there",
           way->t, way->t1, off);
  return HML_OK;
}

// Past the zero of a root, where motions that are close together may part
static hml_status check_parting(hml_march *r, const hml_step *way) {
  double factor;
  if (!r->steep || r->problem.outcome->doubt[0]) return HML_OK;
  HML_TRY(hml_lookout__magnifies(r->lookout, way, &factor));
  if (!(factor > HML_MAGNIFIED)) return HML_OK;
  hml_outcome *o = r->problem.outcome;
  char how[60] = "without bound";
  if (isfinite(factor)) snprintf(how, sizeof how, "by a factor of about %.2g", factor);
  snprintf(o->doubt, sizeof o->doubt, "between t = %.10g and t = %.10g the motion comes nearly to rest where a root or a power is zero and motions part: "
           "errors grow %s there; take a force that is smooth there, or a start whose motion stays away", way->t, way->t1, how);
  return HML_OK;
}

// A passage close to a singular place ends at (t, y): were the errors made there magnified? Compared with a fine run from before it
hml_status hml_march__check_passage(hml_march *r, double t, const double *y) {
  if ((!(r->closest < HML_CLOSE) && !r->steep) || t == r->base_t) return HML_OK;
  memcpy(r->work, y, r->problem.n * sizeof *y);
  hml_step way = {.t = r->base_t, .t1 = t, .h = t - r->base_t, .y = r->base_y, .f = r->base_f, .y1 = r->work};
  const double most = r->method->fixed ? DOUBTFUL_FIXED : r->closest < HML_CLOSE ? DOUBTFUL : HML_WRONG;
  hml_way_errors e;
  HML_TRY(check_parting(r, &way));
  HML_TRY(hml_lookout__check(r->lookout, &way, most, &e));
  if (!r->method->fixed && e.energy > ENERGY_DOUBTFUL && e.energy > e.off) return doubt_energy(r, &way, e.energy);
  if (!(e.off > most) || e.off <= r->doubt) return HML_OK;
  r->doubt = e.off;
  doubt_passage(r, way.t, t, &e);
  return HML_OK;
}

// Steps close to a singular place have to be better than the tolerances ask elsewhere
static void tighten(hml_march *r, double depth) {
  double tolerance = fmax(r->options.rtol, r->options.atol), most = fmax(tolerance / TIGHTEST, 1);
  r->problem.tighter = depth < HML_CLOSE ? fmin(pow(depth, -GROWTH), most) - 1 : 0;
}

// The last point that was clear of singular places, but not for ever
hml_status hml_march__keep_base(hml_march *r, const hml_step *s) {
  bool clear = hml_lookout__clear(r->lookout) || ++r->base_age >= (r->closest < HML_CLOSE || r->steep ? HML_MOST_HELD : HML_OLD_BASE);
  double depth = hml_lookout__depth(r->lookout);
  bool steep = hml_lookout__near_steep(r->lookout);
  hml_lookout__passed(r->lookout, s);
  if (clear) {
    HML_TRY(hml_march__check_passage(r, s->t, s->y));
    hml_march__set_base(r, s->t, s->y, s->f);
  }
  r->closest = fmin(r->closest, depth);
  r->steep = r->steep || steep;
  r->depth = depth;
  tighten(r, depth);
  return HML_OK;
}
