// test_kernel.c: the kernel of notebooks seen by a front end in C over ipc: signatures, order of messages, interrupts, ends.
#include "support.h"

#include <signal.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE_MS = 120000, TEXT = 8192, MOST_PARTS = 12 };

static const char key[] = "0123456789abcdef0123456789abcdef";       // as long as a key of crypto_auth_hmacsha256

typedef struct front_end {
  char folder[64], file[100];
  void *context, *shell, *control, *iopub, *beat;
  pid_t kernel;
  unsigned sent;
} front_end;

typedef struct message {
  char part[MOST_PARTS][TEXT];
  size_t size[MOST_PARTS];
  int n, delimiter;
} message;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sign(const char *const parts[4], const size_t sizes[4], char hex[65]) {
  unsigned char digest[crypto_auth_hmacsha256_BYTES];
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, (const unsigned char *)key, strlen(key));
  for (int i = 0; i < 4; i++) crypto_auth_hmacsha256_update(&state, (const unsigned char *)parts[i], sizes[i]);
  crypto_auth_hmacsha256_final(&state, digest);
  sodium_bin2hex(hex, 65, digest, sizeof digest);
}

// Returns the number of the request; signature: NULL for the right one
static unsigned send_request(front_end *f, void *socket, const char *type, const char *content, const char *signature) {
  char header[400], hex[65];
  snprintf(header, sizeof header,
           "{\"msg_id\": \"request-%u\", \"session\": \"test\", \"username\": \"test\", \"date\": \"2026-01-01T00:00:00Z\", \"msg_type\": \"%s\", \"version\": \"5.3\"}",
           ++f->sent, type);
  const char *const parts[4] = {header, "{}", "{}", content};
  sign(parts, (size_t[4]){strlen(header), 2, 2, strlen(content)}, hex);
  if (signature) snprintf(hex, sizeof hex, "%s", signature);
  zmq_send(socket, "<IDS|MSG>", 9, ZMQ_SNDMORE);
  zmq_send(socket, hex, strlen(hex), ZMQ_SNDMORE);
  for (int i = 0; i < 4; i++) zmq_send(socket, parts[i], strlen(parts[i]), i < 3 ? ZMQ_SNDMORE : 0);
  return f->sent;
}

static bool receive(void *socket, message *m, long patience) {
  zmq_pollitem_t item = {socket, 0, ZMQ_POLLIN, 0};
  m->n = m->delimiter = 0;
  if (zmq_poll(&item, 1, patience) <= 0) return false;
  int more = 1;
  for (size_t size = sizeof more; more; zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size)) {
    assert_true(m->n < MOST_PARTS);
    int n = zmq_recv(socket, m->part[m->n], TEXT - 1, 0);
    assert_in_range(n, 0, TEXT - 1);
    m->size[m->n] = (size_t)n;
    m->part[m->n++][n] = '\0';
  }
  while (m->delimiter < m->n && strcmp(m->part[m->delimiter], "<IDS|MSG>") != 0) m->delimiter++;
  return true;
}

// The kernel signs what it sends
static void assert_signed(const message *m) {
  char hex[65];
  assert_int_equal(m->n, m->delimiter + 6);
  const int at = m->delimiter + 2;
  sign((const char *const[4]){m->part[at], m->part[at + 1], m->part[at + 2], m->part[at + 3]}, m->size + at, hex);
  assert_string_equal(m->part[m->delimiter + 1], hex);
}

static bool answers(const message *m, unsigned request) {
  char id[40];
  snprintf(id, sizeof id, "\"request-%u\"", request);
  return strstr(m->part[m->delimiter + 3], id) != NULL;
}

static bool is_of_type(const message *m, const char *type) {
  char text[80];
  snprintf(text, sizeof text, "\"msg_type\":\"%s\"", type);
  return strstr(m->part[m->delimiter + 2], text) != NULL;
}

static const char *content_of(const message *m) { return m->part[m->delimiter + 5]; }

// The types of what is published for a request up to idle, with blanks in between; the text of the last message before it in `last`
static void published(front_end *f, unsigned request, char *types, size_t size, char last[TEXT]) {
  static message m;
  *types = *last = '\0';
  for (;;) {
    assert_true(receive(f->iopub, &m, PATIENCE_MS));
    assert_signed(&m);
    if (!answers(&m, request)) continue;
    if (is_of_type(&m, "status") && strstr(content_of(&m), "idle")) break;
    snprintf(types + strlen(types), size - strlen(types), "%s%s", *types ? " " : "", m.part[0]);
    snprintf(last, TEXT, "%s", content_of(&m));
  }
  // nothing behind idle
  while (receive(f->iopub, &m, 50)) assert_false(answers(&m, request));
}

static void reply(front_end *f, void *socket, unsigned request, const char *type, char content[TEXT]) {
  static message m;
  (void)f;
  assert_true(receive(socket, &m, PATIENCE_MS));
  assert_signed(&m);
  assert_true(answers(&m, request));
  assert_true(is_of_type(&m, type));
  snprintf(content, TEXT, "%s", content_of(&m));
}

// ---- starting and ending

static void *connected(front_end *f, int type, int port) {
  char address[120];
  int linger = 0;
  void *socket = zmq_socket(f->context, type);
  snprintf(address, sizeof address, "ipc://%s/s-%d", f->folder, port);
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
  if (type == ZMQ_SUB) zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
  assert_int_equal(zmq_connect(socket, address), 0);
  return socket;
}

static void write_connection(front_end *f) {
  snprintf(f->folder, sizeof f->folder, "/tmp/hamel-kernel-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->file, sizeof f->file, "%s/connection.json", f->folder);
  FILE *file = fopen(f->file, "w");
  assert_non_null(file);
  fprintf(file,
          "{\"transport\": \"ipc\", \"ip\": \"%s/s\", \"shell_port\": 1, \"iopub_port\": 2, \"stdin_port\": 3, \"control_port\": 4, \"hb_port\": 5,\n"
          " \"key\": \"%s\", \"signature_scheme\": \"hmac-sha256\"}",
          f->folder, key);
  fclose(file);
}

static pid_t started(const front_end *f) {
  pid_t pid = fork();
  if (pid == 0) {
    execl(HAMEL_PROGRAM, "hamel", "jupyter", "kernel", f->file, (char *)NULL);
    _exit(127);
  }
  assert_true(pid > 0);
  return pid;
}

// A subscriber misses what is published before it is connected: ask until an answer is seen
static void wait_until_ready(front_end *f) {
  static message m;
  bool ready = false;
  for (int tries = 0; !ready && tries < 100; tries++) {
    send_request(f, f->shell, "kernel_info_request", "{}", NULL);
    assert_true(receive(f->shell, &m, PATIENCE_MS));
    ready = receive(f->iopub, &m, 100);
  }
  assert_true(ready);
  while (receive(f->iopub, &m, 100)) continue;
}

static void connect_all(front_end *f) {
  f->context = zmq_ctx_new();
  f->shell = connected(f, ZMQ_DEALER, 1);
  f->iopub = connected(f, ZMQ_SUB, 2);
  f->control = connected(f, ZMQ_DEALER, 4);
  f->beat = connected(f, ZMQ_REQ, 5);
}

static int start(void **state) {
  static front_end f;
  f = (front_end){0};
  write_connection(&f);
  f.kernel = started(&f);
  connect_all(&f);
  wait_until_ready(&f);
  *state = &f;
  return 0;
}

// Clock ticks that a process has worked
static long ticks_of(pid_t pid) {
  char path[60], line[600] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  long user = 0, own = 0;
  assert_int_equal(sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &own), 2);
  return user + own;
}

// Waits until the kernel has worked for a tenth of a second from `before` on: a cell runs then, however busy the machine is
static void wait_for_work(const front_end *f, long before) {
  const double end = now() + PATIENCE_MS / 1000;
  while (ticks_of(f->kernel) < before + sysconf(_SC_CLK_TCK) / 10) {
    assert_true(now() < end);
    usleep(10000);
  }
}

// Waits for the end of a process; its status, or -1 where it does not end in time
static int status_of(pid_t pid, double seconds) {
  int status;
  for (double end = now() + seconds; now() < end; usleep(10000))
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
  return -1;
}

static int finish(void **state) {
  front_end *f = *state;
  if (f->kernel && status_of(f->kernel, 0.02) == -1) {
    kill(f->kernel, SIGKILL);
    waitpid(f->kernel, NULL, 0);
  }
  void *const sockets[] = {f->shell, f->control, f->iopub, f->beat};
  for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) zmq_close(sockets[i]);
  zmq_ctx_term(f->context);
  unlink(f->file);
  for (int port = 1; port <= 5; port++) {
    char path[120];
    snprintf(path, sizeof path, "%s/s-%d", f->folder, port);
    unlink(path);
  }
  rmdir(f->folder);
  return 0;
}

static unsigned execute(front_end *f, const char *code) {
  char content[1000];
  snprintf(content, sizeof content, "{\"code\": \"%s\", \"silent\": false, \"allow_stdin\": false}", code);
  return send_request(f, f->shell, "execute_request", content, NULL);
}

static bool lives(front_end *f) {
  char content[TEXT], types[400];
  unsigned request = execute(f, "6*7");
  reply(f, f->shell, request, "execute_reply", content);
  published(f, request, types, sizeof types, content);
  return strstr(content, "\"text/plain\":\"42\"") != NULL;
}

// ---- tests

static void messages_come_in_the_order_of_the_program(void **state) {
  front_end *f = *state;
  char content[TEXT], types[400];
  unsigned request = execute(f, "print('a') display(1) io.stderr:write('b') io.write('c')\\n2");
  reply(f, f->shell, request, "execute_reply", content);
  assert_non_null(strstr(content, "\"status\":\"ok\""));
  published(f, request, types, sizeof types, content);
  assert_string_equal(types, "status execute_input stream display_data stream stream execute_result");
  request = execute(f, "print(x.y)");
  reply(f, f->shell, request, "execute_reply", content);
  assert_non_null(strstr(content, "\"status\":\"error\""));
  published(f, request, types, sizeof types, content);
  assert_string_equal(types, "status execute_input error");
}

static void idle_follows_unknown_and_malformed_requests(void **state) {
  front_end *f = *state;
  static const struct { const char *type, *content; } requests[] = {
      {"nonsense_request", "{}"}, {"execute_request", "{"}, {"execute_request", "{}"}, {"complete_request", "[]"}, {"nonsense", "3"}, {"comm_open", "{}"}};
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
    char types[400], content[TEXT];
    static message m;
    unsigned request = send_request(f, f->shell, requests[i].type, requests[i].content, NULL);
    published(f, request, types, sizeof types, content);
    while (receive(f->shell, &m, 50)) assert_true(answers(&m, request));
  }
  assert_true(lives(f));
}

static void forged_messages_change_nothing(void **state) {
  front_end *f = *state;
  static message m;
  char zeros[65];
  memset(zeros, '0', 64);
  zeros[64] = '\0';
  const char *const signatures[] = {"", zeros, "0"};
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
    send_request(f, f->shell, "execute_request", "{\"code\": \"forged = true\"}", signatures[i]);
    send_request(f, f->control, "shutdown_request", "{\"restart\": false}", signatures[i]);
  }
  zmq_send(f->shell, "alone", 5, 0);
  for (int i = 0; i < 100; i++) zmq_send(f->shell, "<IDS|MSG>", 9, i < 99 ? ZMQ_SNDMORE : 0);
  assert_false(receive(f->shell, &m, 300));
  assert_false(receive(f->control, &m, 0));
  char types[400], content[TEXT];
  unsigned request = execute(f, "forged");
  reply(f, f->shell, request, "execute_reply", content);
  assert_non_null(strstr(content, "'forged' is not defined"));
  published(f, request, types, sizeof types, content);
  assert_true(lives(f));
}

// What is published goes to every front end: its parent is an object, whatever was sent
static void a_header_that_is_no_object_is_not_published(void **state) {
  front_end *f = *state;
  static message m;
  static const char *const headers[] = {"no JSON", "[1]", "", "{\"msg_id\": \"\xff\"}", "{} {}"};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    char hex[65];
    const char *const parts[4] = {headers[i], "{}", "{}", "{}"};
    sign(parts, (size_t[4]){strlen(headers[i]), 2, 2, 2}, hex);
    zmq_send(f->shell, "<IDS|MSG>", 9, ZMQ_SNDMORE);
    zmq_send(f->shell, hex, 64, ZMQ_SNDMORE);
    for (int k = 0; k < 4; k++) zmq_send(f->shell, parts[k], strlen(parts[k]), k < 3 ? ZMQ_SNDMORE : 0);
    for (int k = 0; k < 2; k++) {                                      // busy and idle
      assert_true(receive(f->iopub, &m, PATIENCE_MS));
      assert_signed(&m);
      assert_string_equal(m.part[m.delimiter + 3], "{}");
    }
  }
  assert_true(lives(f));
}

// ---- random frames

// Once a thousand messages Lua collects, then the size of the kernel is read. It settles within the first thousands and goes up and down by
// 1 MB afterwards, as malloc serves several threads. A leak shows where the least of the last sizes lies above the largest of the first
enum { RANDOM_MESSAGES = 16000, WARM_UP = 8000, LAST_LOOKS = 13000, MOST_GROWTH_KB = 1500, LONGEST = 300 };

static unsigned long long seed = 20260101;

// xorshift64 (Marsaglia 2003)
static unsigned random_below(unsigned n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed % n);
}

// Bytes, or a request with some of its bytes changed or its end cut off
static size_t random_part(char text[TEXT], const char *model) {
  size_t n = strlen(model);
  memcpy(text, model, n + 1);
  switch (random_below(4)) {
  case 0:
    n = random_below(LONGEST);
    for (size_t i = 0; i < n; i++) text[i] = (char)random_below(256);
    break;
  case 1:
    for (unsigned k = 1 + random_below(4); k > 0 && n > 0; k--) text[random_below((unsigned)n)] = (char)random_below(256);
    break;
  case 2:
    n = random_below((unsigned)n + 1);
    break;
  default:
    break;
  }
  return n;
}

static void send_random(void *socket, bool on_shell) {
  static const char *const contents[] = {"{\"code\": \"S:eq\", \"cursor_pos\": 4}", "{\"code\": \"x = 1 +\", \"silent\": true}", "{\"hist_access_type\": \"tail\", \"n\": 3}",
                                         "{\"code\": \"1 + 1\", \"user_expressions\": {\"a\": \"2\"}}", "[[[[{}]]]]", "{\"target_name\": null}"};
  static const char *const types[] = {"complete", "execute", "history", "inspect", "is_complete", "comm_info", "kernel_info"};
  static char parts[4][TEXT];
  char header[400], hex[65];
  size_t sizes[4];
  // requests that interrupt and end are for the control socket, and not sent here
  snprintf(header, sizeof header, "{\"msg_id\": \"random\", \"session\": \"test\", \"msg_type\": \"%s_request\", \"version\": \"5.3\"}",
           types[random_below(on_shell ? 7 : 6)]);
  const char *const models[4] = {header, "{}", "{}", contents[random_below(6)]};
  for (int i = 0; i < 4; i++) sizes[i] = random_part(parts[i], models[i]);
  sign((const char *const[4]){parts[0], parts[1], parts[2], parts[3]}, sizes, hex);
  if (random_below(4) == 0) hex[random_below(64)] ^= 1;
  if (random_below(8) > 0) zmq_send(socket, "<IDS|MSG>", 9, ZMQ_SNDMORE);
  zmq_send(socket, hex, random_below(16) ? 64 : random_below(64), ZMQ_SNDMORE);
  int last = random_below(8) ? 3 : (int)random_below(4);
  for (int i = 0; i <= last; i++) zmq_send(socket, parts[i], sizes[i], i < last ? ZMQ_SNDMORE : 0);
}

static void drain(void *socket) {
  static message m;
  while (receive(socket, &m, 0)) assert_signed(&m);
}

// Waits until all that was sent before is answered
static void wait_for_answers(front_end *f) {
  static message m;
  unsigned request = send_request(f, f->shell, "kernel_info_request", "{}", NULL);
  do {
    assert_true(receive(f->shell, &m, PATIENCE_MS));
    assert_signed(&m);
  } while (!answers(&m, request));
}

static long memory_kb(pid_t pid) {
  char path[40], line[200];
  long kb = 0;
  snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kb);
  fclose(file);
  return kb;
}

static void random_frames_leave_it_alive_and_as_large_as_it_was(void **state) {
  front_end *f = *state;
  long before = 0, after = LONG_MAX;
  for (int i = 0; i < RANDOM_MESSAGES; i++) {
    bool on_shell = random_below(4) > 0;
    send_random(on_shell ? f->shell : f->control, on_shell);
    drain(f->shell);
    drain(f->control);
    drain(f->iopub);
    if (i % 1000 < 999) continue;
    execute(f, "collectgarbage()");
    wait_for_answers(f);
    assert_true(lives(f));
    const long now = memory_kb(f->kernel);
    if (i < WARM_UP && now > before) before = now;
    if (i >= LAST_LOOKS && now < after) after = now;
  }
#ifdef __SANITIZE_ADDRESS__            // it keeps what is freed
  (void)before, (void)after;
#else
  check_below((double)(after - before), MOST_GROWTH_KB);
#endif
}

static void an_interrupt_ends_the_cell_alone(void **state) {
  front_end *f = *state;
  char content[TEXT], types[400];
  for (int i = 0; i < 5; i++) {
    const long before = ticks_of(f->kernel);
    unsigned request = execute(f, "kept = 1 while true do end");
    wait_for_work(f, before);
    unsigned interrupt = send_request(f, f->control, "interrupt_request", "{}", NULL);
    reply(f, f->control, interrupt, "interrupt_reply", content);
    reply(f, f->shell, request, "execute_reply", content);
    assert_non_null(strstr(content, "\"ename\":\"interrupted\""));
    published(f, request, types, sizeof types, content);
    assert_string_equal(types, "status execute_input error");
  }
  for (int i = 0; i < 6; i++) {
    unsigned interrupt = send_request(f, f->control, "interrupt_request", "{}", NULL);
    reply(f, f->control, interrupt, "interrupt_reply", content);
  }
  assert_true(lives(f));
}

static void the_heart_beats_while_a_cell_runs(void **state) {
  front_end *f = *state;
  char echo[8] = "", content[TEXT];
  unsigned request = execute(f, "local t = os.clock() while os.clock() < t + 0.5 do end");
  zmq_send(f->beat, "beat", 4, 0);
  zmq_pollitem_t item = {f->beat, 0, ZMQ_POLLIN, 0};
  assert_int_equal(zmq_poll(&item, 1, PATIENCE_MS), 1);
  assert_int_equal(zmq_recv(f->beat, echo, sizeof echo, 0), 4);
  assert_string_equal(echo, "beat");
  reply(f, f->shell, request, "execute_reply", content);
}

static void shutdown_ends_it_between_cells(void **state) {
  front_end *f = *state;
  char content[TEXT];
  unsigned request = send_request(f, f->control, "shutdown_request", "{\"restart\": true}", NULL);
  reply(f, f->control, request, "shutdown_reply", content);
  assert_non_null(strstr(content, "\"restart\":true"));
  int status = status_of(f->kernel, 60);
  f->kernel = 0;
  assert_int_equal(status, 0);
}

static void shutdown_ends_a_cell_that_will_not_stop(void **state) {
  front_end *f = *state;
  char content[TEXT];
  execute(f, "os.execute 'sleep 30'");
  usleep(300000);
  unsigned request = send_request(f, f->control, "shutdown_request", "{\"restart\": false}", NULL);
  reply(f, f->control, request, "shutdown_reply", content);
  int status = status_of(f->kernel, 60);
  f->kernel = 0;
  assert_int_equal(status, 0);
}

// The front end that started it (here a process in between) has died
static void it_does_not_outlive_its_front_end(void **state) {
  static front_end f;
  f = (front_end){0};
  int pids[2];
  pid_t kernel;
  assert_int_equal(pipe(pids), 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  write_connection(&f);
  pid_t between = fork();
  if (between == 0) {
    setenv("JPY_PARENT_PID", "1", 1);
    pid_t pid = started(&f);
    if (write(pids[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    pause();
  }
  assert_int_equal(read(pids[0], &kernel, sizeof kernel), sizeof kernel);
  close(pids[0]);
  close(pids[1]);
  connect_all(&f);
  wait_until_ready(&f);
  kill(between, SIGKILL);
  waitpid(between, NULL, 0);
  double begun = now();
  int status = status_of(kernel, 60);
  f.kernel = status == -1 ? kernel : 0;
  *state = &f;
  assert_int_equal(status, 0);
  check_below(now() - begun, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(messages_come_in_the_order_of_the_program, start, finish),
      cmocka_unit_test_setup_teardown(idle_follows_unknown_and_malformed_requests, start, finish),
      cmocka_unit_test_setup_teardown(forged_messages_change_nothing, start, finish),
      cmocka_unit_test_setup_teardown(a_header_that_is_no_object_is_not_published, start, finish),
      cmocka_unit_test_setup_teardown(random_frames_leave_it_alive_and_as_large_as_it_was, start, finish),
      cmocka_unit_test_setup_teardown(an_interrupt_ends_the_cell_alone, start, finish),
      cmocka_unit_test_setup_teardown(the_heart_beats_while_a_cell_runs, start, finish),
      cmocka_unit_test_setup_teardown(shutdown_ends_it_between_cells, start, finish),
      cmocka_unit_test_setup_teardown(shutdown_ends_a_cell_that_will_not_stop, start, finish),
      cmocka_unit_test_teardown(it_does_not_outlive_its_front_end, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
