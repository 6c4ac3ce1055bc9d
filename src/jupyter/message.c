// message.c: messages received, verified, signed and sent.
#include "message.h"

#include <errno.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char delimiter[] = "<IDS|MSG>";
enum { DELIMITER = sizeof delimiter - 1, HEX = 2 * crypto_auth_hmacsha256_BYTES + 1, SIGNED = 4 };

static crypto_auth_hmacsha256_state keyed;       // the state with the key in it
static bool with_key;
static char session[64];
static atomic_ulong count;                       // of messages sent

void hml_message__set_key(const char *key, size_t size) {
  with_key = size > 0;
  crypto_auth_hmacsha256_init(&keyed, (const unsigned char *)key, size);
  snprintf(session, sizeof session, "hamel-%ld-%lld", (long)getpid(), (long long)time(NULL));
}

static void sign(const hml_span parts[SIGNED], char hex[HEX]) {
  hex[0] = '\0';
  if (!with_key) return;
  unsigned char digest[crypto_auth_hmacsha256_BYTES];
  crypto_auth_hmacsha256_state state = keyed;
  for (int i = 0; i < SIGNED; i++) crypto_auth_hmacsha256_update(&state, (const unsigned char *)parts[i].data, parts[i].size);
  crypto_auth_hmacsha256_final(&state, digest);
  sodium_bin2hex(hex, HEX, digest, sizeof digest);
}

hml_span hml_message__frame(hml_message *m, int index) {
  return (hml_span){zmq_msg_data(&m->frames[index]), zmq_msg_size(&m->frames[index])};
}

hml_span hml_message__part(hml_message *m, int behind_delimiter) { return hml_message__frame(m, m->delimiter + behind_delimiter); }

void hml_message__close(hml_message *m) {
  while (m->n > 0) zmq_msg_close(&m->frames[--m->n]);
}

static bool is_delimiter(hml_span s) { return s.size == DELIMITER && memcmp(s.data, delimiter, DELIMITER) == 0; }

static bool is_genuine(hml_message *m) {
  m->delimiter = 0;
  while (m->delimiter < m->n && !is_delimiter(hml_message__frame(m, m->delimiter))) m->delimiter++;
  if (m->delimiter + 1 + SIGNED >= m->n) return false;
  hml_span given = hml_message__part(m, 1), parts[SIGNED];
  for (int i = 0; i < SIGNED; i++) parts[i] = hml_message__part(m, HML_HEADER + i);
  char hex[HEX];
  sign(parts, hex);
  return given.size == strlen(hex) && sodium_memcmp(hex, given.data, given.size) == 0;
}

// All frames of the next message, which arrive together; those beyond the room are dropped
static bool receive_frames(void *socket, hml_message *m) {
  bool whole = true;
  m->n = 0;
  for (bool more = true; more;) {
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    int got;
    while ((got = zmq_msg_recv(&frame, socket, ZMQ_DONTWAIT)) < 0 && errno == EINTR) continue;
    if (got < 0) {
      zmq_msg_close(&frame);
      return false;
    }
    more = zmq_msg_more(&frame) != 0;
    if (m->n == HML_MOST_FRAMES) {
      whole = false;
      zmq_msg_close(&frame);
    } else {
      zmq_msg_init(&m->frames[m->n]);
      zmq_msg_move(&m->frames[m->n++], &frame);
    }
  }
  return whole;
}

bool hml_message__receive(void *socket, hml_message *m) {
  if (receive_frames(socket, m) && is_genuine(m)) return true;
  hml_message__close(m);
  return false;
}

bool hml_message__has(hml_span json, const char *key, const char *value) {
  char quoted[64];
  int n = snprintf(quoted, sizeof quoted, "\"%s\"", key);
  const char *end = json.data + json.size, *at = json.data;
  while ((at = memmem(at, (size_t)(end - at), quoted, (size_t)n)) != NULL) {
    at += n;
    while (at < end && strchr(" :\t\r\n", *at)) at++;
    if ((size_t)(end - at) >= strlen(value) && memcmp(at, value, strlen(value)) == 0) return true;
  }
  return false;
}

// A signal may come between
static void send_frame(void *socket, hml_span s, int flags) {
  while (zmq_send(socket, s.data, s.size, flags) < 0 && errno == EINTR) continue;
}

void hml_message__send(void *socket, const hml_span *identities, int n, const char *type, hml_span parent, hml_span content) {
  char header[400], date[40], hex[HEX];
  struct timespec now;
  struct tm utc;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  int size = snprintf(header, sizeof header,
                      "{\"msg_id\":\"%s-%lu\",\"session\":\"%s\",\"username\":\"hamel\",\"date\":\"%s.%06ldZ\",\"msg_type\":\"%s\",\"version\":\"5.3\"}",
                      session, atomic_fetch_add(&count, 1), session, date, now.tv_nsec / 1000, type);
  hml_span parts[SIGNED] = {{header, (size_t)size}, parent, {"{}", 2}, content};
  sign(parts, hex);
  for (int i = 0; i < n; i++) send_frame(socket, identities[i], ZMQ_SNDMORE);
  send_frame(socket, (hml_span){delimiter, DELIMITER}, ZMQ_SNDMORE);
  send_frame(socket, (hml_span){hex, strlen(hex)}, ZMQ_SNDMORE);
  for (int i = 0; i < SIGNED; i++) send_frame(socket, parts[i], i + 1 < SIGNED ? ZMQ_SNDMORE : 0);
}
