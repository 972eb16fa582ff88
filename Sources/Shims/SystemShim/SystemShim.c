#define _GNU_SOURCE
#include "SystemShim.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#ifdef __linux__
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#else
#include <sys/mount.h>
#include <sys/param.h>
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

int halcyon_is_remote(const char *path) {
  struct statfs status;
  if (statfs(path, &status) != 0) return -1;
#ifdef __linux__
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
#else
  return (status.f_flags & MNT_LOCAL) ? 0 : 1;
#endif
}

void halcyon_name_thread(const char *name) {
#ifdef __linux__
  pthread_setname_np(pthread_self(), name);
#else
  (void)name;
#endif
}
