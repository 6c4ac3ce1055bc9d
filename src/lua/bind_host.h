// bind_host.h: the interrupt flag of the process, which contexts poll.
#ifndef HML_BIND_HOST_H
#define HML_BIND_HOST_H

volatile int *hml_bind__interrupt_flag(void);

#endif
