// message.h: messages of Jupyter's protocol 5.3 on ZeroMQ sockets: identities, a delimiter, a signature, four texts of JSON.
#ifndef HML_JUPYTER_MESSAGE_H
#define HML_JUPYTER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <zmq.h>

enum { HML_MOST_FRAMES = 32 };

typedef struct hml_span {
  const char *data;
  size_t size;
} hml_span;

typedef struct hml_message {
  zmq_msg_t frames[HML_MOST_FRAMES];
  int n, delimiter;                    // frames; index of the delimiter, behind the identities
} hml_message;

enum { HML_HEADER = 2, HML_CONTENT = 5 };                            // frames behind the delimiter

void hml_message__set_key(const char *key, size_t size);             // "": messages are not signed
// A message that waits in the socket; false where there is none, or where its signature is wrong: it is dropped
bool hml_message__receive(void *socket, hml_message *m);
void hml_message__close(hml_message *m);
hml_span hml_message__frame(hml_message *m, int index);
hml_span hml_message__part(hml_message *m, int behind_delimiter);
bool hml_message__has(hml_span json, const char *key, const char *value);   // the member, written as "key": value, with any blanks

// identities: frames in front of the delimiter
void hml_message__send(void *socket, const hml_span *identities, int n, const char *type, hml_span parent, hml_span content);

#endif
