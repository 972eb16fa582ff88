#define _GNU_SOURCE
#include "CHalcyonSystemShim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

int halcyon_limit_process(long cpu_seconds, long byte_count) {
  struct rlimit core = {0, 0};
  struct rlimit memory = {(rlim_t)byte_count, (rlim_t)byte_count};
  // The first ends the process with a signal that names the cause.
  struct rlimit time = {(rlim_t)cpu_seconds, (rlim_t)cpu_seconds + 1};
  // The signal may be blocked in the thread that has started this process.
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL)) return -1;
  if (setrlimit(RLIMIT_CORE, &core) || setrlimit(RLIMIT_AS, &memory)) return -1;
  return setrlimit(RLIMIT_CPU, &time);
}

#ifdef __linux__
extern char **environ;

// Moves a descriptor above standard input, output and error, which a program may have closed.
static int above_standard(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int error = errno;
  close(file);
  errno = error;
  return moved;
}

int halcyon_open_memory(int *file) {
  *file = above_standard(memfd_create("halcyon", MFD_CLOEXEC));
  return *file < 0 ? -1 : 0;
}

int halcyon_open_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC)) return -1;
  for (int i = 0; i < 2; i++) {
    ends[i] = above_standard(ends[i]);
    if (ends[i] >= 0) continue;
    int error = errno;
    close(ends[1 - i]);
    errno = error;
    return -1;
  }
  return 0;
}

static int set_descriptors(posix_spawn_file_actions_t *actions, int input, int output) {
  int error = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
  if (!error) error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  // Those that other libraries have not marked.
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
  return error;
}

static int unblock_signals(posix_spawnattr_t *attributes) {
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  int error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
  return error ? error : posix_spawnattr_setsigdefault(attributes, &ignored);
}

int halcyon_spawn(const char *path, char *const arguments[], int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t id = -1;
  // Neither fails in glibc and musl.
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int error = set_descriptors(&actions, input, output);
  if (!error) error = unblock_signals(&attributes);
  if (!error) error = posix_spawn(&id, path, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  return error ? -1 : id;
}
#endif

#if defined(SYS_openat2) && defined(RESOLVE_CACHED) && defined(RWF_NOWAIT)
int halcyon_open_cached(const char *path) {
  // Without O_NOATIME the first read after a change would also write the inode.
  struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NOATIME, .resolve = RESOLVE_CACHED};
  int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  if (file >= 0 || errno != EPERM) return file;
  // The file of another user.
  how.flags &= ~(unsigned long long)O_NOATIME;
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

long halcyon_read_cached(int file, void *bytes, size_t count, long long offset) {
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  return preadv2(file, &part, 1, offset, RWF_NOWAIT);
}
#else
int halcyon_open_cached(const char *path) {
  errno = ENOSYS;
  return -1;
}

long halcyon_read_cached(int file, void *bytes, size_t count, long long offset) {
  errno = ENOSYS;
  return -1;
}
#endif

#ifdef __linux__
int halcyon_is_remote(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return -1;
  // See statfs(2); the C library's headers do not define the types.
  switch ((unsigned int)status.f_type) {
    case 0x6969:      // NFS
    case 0x517b:      // SMB
    case 0xff534d42:  // CIFS
    case 0xfe534d42:  // SMB 2
    case 0x65735546:  // FUSE
    case 0x01021997:  // 9P
    case 0x5346414f:  // AFS
    case 0x6b414653:  // kAFS
    case 0x73757245:  // Coda
    case 0x00c36400:  // Ceph
    case 0x0bd00bd0:  // Lustre
    case 0x47504653:  // GPFS
    case 0x01161970:  // GFS 2
    case 0x7461636f:  // OCFS 2
    case 0x786f4256:  // VirtualBox
      return 1;
    default:
      return 0;
  }
}
#endif

void halcyon_name_thread(const char *name) {
#ifdef __linux__
  pthread_setname_np(pthread_self(), name);
#else
  (void)name;
#endif
}
