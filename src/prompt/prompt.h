// prompt.h: the terminal of the executable: interrupts of the user's code, a line editor, its history.
#ifndef HML_PROMPT_H
#define HML_PROMPT_H

#include <lua.h>
#include <stdbool.h>

void hml_interrupt__install(void);                // SIGINT is ours from here on; writing into a closed pipe is an error, no end
void hml_interrupt__track(lua_State *L);          // coroutine.resume and wrap report which coroutine runs
void hml_interrupt__arm(lua_State *L);            // the user's code runs from here
void hml_interrupt__stop(void);                   // stops the user's code as Ctrl-C does, for a host that heard it elsewhere
int hml_interrupt__disarm(lua_State *L);          // to here; how often Ctrl-C was pressed
bool hml_interrupt__came(void);                   // was Ctrl-C pressed since?
bool hml_interrupt__forget(void);                 // the same; from here on it was not
void hml_interrupt__end_by(int signal_number);    // as if there were no handler

// Pushes the table { read(callbacks, prompt), remember(text, path), load_history(path) }
void hml_editor__push(lua_State *L);
int hml_history__remember(lua_State *L);
int hml_history__load(lua_State *L);

#endif
