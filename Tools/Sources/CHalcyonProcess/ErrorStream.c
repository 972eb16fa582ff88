#define _GNU_SOURCE
#include "CHalcyonProcess.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__

static const int fatal_signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
static struct sigaction previous[NSIG];

// The last bytes that were dropped.
static char dropped[8192];
static size_t dropped_count;

// The C library calls it with the lock of the stream.
static ssize_t drop(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  size_t new_count = count < sizeof dropped ? count : sizeof dropped;
  size_t old_count = sizeof dropped - new_count;
  if (old_count > dropped_count) old_count = dropped_count;
  memmove(dropped, dropped + dropped_count - old_count, old_count);
  memcpy(dropped + old_count, bytes + count - new_count, new_count);
  dropped_count = old_count + new_count;
  // The message may be that of an abort, which from glibc 2.41 on does not call the handler of a blocked signal. libdispatch
  // blocks signals in its threads.
  sigset_t abort_signal;
  sigemptyset(&abort_signal);
  sigaddset(&abort_signal, SIGABRT);
  pthread_sigmask(SIG_UNBLOCK, &abort_signal, NULL);
  return (ssize_t)count;
}

static void show_dropped(int number, siginfo_t *info, void *context) {
  (void)context;
  if (write(STDERR_FILENO, dropped, dropped_count) < 0) dropped_count = 0;
  dropped_count = 0;
  sigaction(number, &previous[number], NULL);
  // A fault occurs again after the return, for the action before this one; a signal that was sent does not.
  if (info->si_code <= 0 || number == SIGTRAP) raise(number);
}

void halcyon_drop_stderr(void) {
  cookie_io_functions_t functions = {.write = drop};
  FILE *stream = fopencookie(NULL, "w", functions);
  if (!stream) return;
  setvbuf(stream, NULL, _IONBF, 0);
  struct sigaction action = {.sa_sigaction = show_dropped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
    sigaction(fatal_signals[i], &action, &previous[fatal_signals[i]]);
  stderr = stream;
}
#else
void halcyon_drop_stderr(void) {}
#endif
