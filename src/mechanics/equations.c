// equations.c: the program of M, A, r and b of a model that was given by its energies alone. A run on the graph of velocities needs it where a pivot fails, at
// impacts and for Jacobians only, and it has n^2/2 entries: the first thread that needs it makes it, while others wait. It needs no expressions.
#include "mechanics_impl.h"

#include <pthread.h>

// The memory is that of a context of its own, as in series.c. Only the holder of the lock touches any of it
struct hml_equation_store {
  pthread_mutex_t lock;
  hml_context *context;
  hml_program *program;
};

hml_graph_layout hml_equations__layout(const hml_model *m) {
  const size_t n = m->n_dyn, rows = m->n_multipliers, power = 1 + n + rows;
  return (hml_graph_layout){.n = n, .m = rows, .forces = 1, .rows = 1 + n, .power = power, .multiplier_power = power + m->has_power, .has_power = m->has_power,
                            .has_multiplier_power = m->has_multiplier_power, .has_work = m->has_work, .implied = m->implied,
                            .first_parameter = 1 + m->n_kin + n, .n_parameters = m->n_parameters, .parameter_values = m->parameter_values};
}

hml_status hml_equations__make(hml_context *c, const hml_model *m, hml_program **out) {
  const hml_graph_layout l = hml_equations__layout(m);
  HML_TRY(hml_program__equations(c, m->energies, &l, out));
  return *out ? HML_OK : hml_fail(c, HML_INTERNAL, "model '%s': its energies have accelerations, but no equations", m->name);
}

// fails: HML_MEMORY
hml_status hml_equations__open(hml_model *m) {
  hml_equation_store *s = hml_alloc(m->context, sizeof *s);
  if (!s) return HML_MEMORY;
  s->context = hml_context_new(NULL, NULL);
  if (!s->context || pthread_mutex_init(&s->lock, NULL) != 0) {
    hml_context_free(s->context);
    hml_dealloc(m->context, s, sizeof *s);
    return hml_fail(m->context, HML_MEMORY, "not enough memory for the equations of a model");
  }
  m->equations = s;
  return HML_OK;
}

void hml_equations__close(hml_model *m) {
  hml_equation_store *s = m->equations;
  if (!s) return;
  hml_program_free(s->program);
  pthread_mutex_destroy(&s->lock);
  hml_context_free(s->context);
  hml_dealloc(m->context, s, sizeof *s);
}

// `user` can interrupt it and takes over its failure; NULL: nobody does
static hml_status need(hml_context *user, const hml_model *m, const hml_program **out) {
  hml_equation_store *s = m->equations;
  pthread_mutex_lock(&s->lock);
  hml_status status = HML_OK;
  if (!s->program) {
    hml_context_set_interrupt_flag(s->context, user ? hml_context_interrupt_flag(user) : NULL);
    status = hml_equations__make(s->context, m, &s->program);
    if (status != HML_OK && user) hml_fail(user, status, "%s", hml_context_error(s->context)->message);
    hml_context_clear_error(s->context);
    hml_context_set_interrupt_flag(s->context, NULL);
  }
  *out = s->program;
  pthread_mutex_unlock(&s->lock);
  return status;
}

const hml_program *hml_model_dynamics(const hml_model *m) {
  const hml_program *p = m->dynamics;
  if (m->equations) need(NULL, m, &p);
  return p;
}

// fails: HML_MEMORY, HML_INTERRUPTED
hml_status hml_equations__need(hml_workspace *w) {
  if (w->equations) return HML_OK;
  const hml_program *p;
  HML_TRY(need(w->context, w->model, &p));
  w->equations_work = hml_alloc(w->context, hml_program_work_size(p) * sizeof *w->equations_work);
  if (!w->equations_work) return HML_MEMORY;
  w->equations = p;
  return HML_OK;
}
