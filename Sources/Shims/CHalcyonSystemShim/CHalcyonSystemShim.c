#define _GNU_SOURCE
#include "CHalcyonSystemShim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#if __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/stat.h>
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

#if defined(__linux__) && defined(LANDLOCK_CREATE_RULESET_VERSION) && defined(SYS_landlock_create_ruleset)
int halcyon_allow_reading_only(const char *const paths[], size_t count) {
  // Everything that the first version of Landlock knows of files: 13 kinds of access.
  struct landlock_ruleset_attr handled = {.handled_access_fs = (1ULL << 13) - 1};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0);
  if (rules < 0) return -1;
  for (size_t i = 0; i < count; i++) {
    struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
    struct stat status;
    rule.parent_fd = open(paths[i], O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) continue;
    if (!fstat(rule.parent_fd, &status) && S_ISDIR(status.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    // Without its rule a path cannot be read: no reason to allow all others.
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
  }
  int status = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!status) status = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return status;
}
#else
int halcyon_allow_reading_only(const char *const paths[], size_t count) {
  (void)paths;
  (void)count;
  errno = ENOSYS;
  return -1;
}
#endif

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

// Whether a variable is needed to start a program and to find fonts. Others can hold secrets.
static bool is_passed_on(const char *variable) {
  static const char *const names[] = {"PATH=", "HOME=", "LANG=", "XDG_", "FONTCONFIG_", "LD_LIBRARY_PATH="};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(variable, names[i], strlen(names[i]))) return true;
  return false;
}

static char **environment_to_pass_on(void) {
  size_t count = 0;
  while (environ && environ[count]) count++;
  char **variables = calloc(count + 1, sizeof *variables);
  if (!variables) return NULL;
  for (size_t i = 0, next = 0; i < count; i++)
    if (is_passed_on(environ[i])) variables[next++] = environ[i];
  return variables;
}

#if defined(SECCOMP_MODE_FILTER) && defined(__x86_64__)
#define HALCYON_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(SECCOMP_MODE_FILTER) && defined(__aarch64__)
#define HALCYON_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

// Takes from this thread, and from the programs that it starts, the means to get new privileges, sockets, and hold of
// other processes. Does what the kernel allows.
static void confine_thread(void) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#ifdef HALCYON_AUDIT_ARCH
  static const unsigned int refused[] = {
    SYS_socket, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
  };
  enum { count = sizeof refused / sizeof *refused };
  const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES);
  struct sock_filter filter[2 * count + 7] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    // Calls of another architecture have other numbers.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HALCYON_AUDIT_ARCH, 1, 0),
    refuse,
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    // So have those of x32.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    refuse,
  };
  int length = 6;
  for (int i = 0; i < count; i++) {
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
    filter[length++] = refuse;
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {(unsigned short)length, filter};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}

int halcyon_refuse_signals(void) {
#ifdef HALCYON_AUDIT_ARCH
  // The first four name a process in their first argument, the others a thread or a descriptor.
  static const unsigned int calls[] = {
    SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill,
#ifdef SYS_pidfd_send_signal
    SYS_pidfd_send_signal,
#endif
  };
  enum { count = sizeof calls / sizeof *calls, own = 4 };
  const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  struct sock_filter filter[count + 7] = {
    // Other architectures are refused when the process is started.
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  int length = 1;
  for (int i = 0; i < count; i++) {
    int rest = count - i;
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], i < own ? rest : rest + 3, 0);
  }
  filter[length++] = allow;
  // The lower half, which is all of a process identifier; both architectures are little-endian.
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
  filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)getpid(), 0, 1);
  filter[length++] = allow;
  filter[length++] = refuse;
  struct sock_fprog program = {(unsigned short)length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}

struct spawning {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const posix_spawn_file_actions_t *actions;
  const posix_spawnattr_t *attributes;
  pid_t id;
  int error;
};

static void *spawn_confined(void *argument) {
  struct spawning *spawning = argument;
  confine_thread();
  spawning->error = posix_spawn(
    &spawning->id, spawning->path, spawning->actions, spawning->attributes, spawning->arguments,
    spawning->environment);
  return NULL;
}

int halcyon_spawn(const char *path, char *const arguments[], int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  char **environment = environment_to_pass_on();
  if (!environment) return -1;
  // Neither fails in glibc and musl.
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int error = set_descriptors(&actions, input, output);
  if (!error) error = unblock_signals(&attributes);
  struct spawning spawning = {path, arguments, environment, &actions, &attributes, -1, 0};
  // What a thread may not do, the programs that it starts may not either: this one only starts the program.
  pthread_t thread;
  if (!error) error = pthread_create(&thread, NULL, spawn_confined, &spawning);
  if (!error) {
    pthread_join(thread, NULL);
    error = spawning.error;
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free(environment);
  errno = error;
  return error ? -1 : spawning.id;
}
#else
int halcyon_refuse_signals(void) {
  errno = ENOSYS;
  return -1;
}
#endif

#if defined(SYS_openat2) && defined(RESOLVE_CACHED) && defined(RWF_NOWAIT)
int halcyon_open_cached(const char *path) {
  // Without O_NOATIME the first read after a change would also write the inode.
  struct open_how how = {.flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOATIME, .resolve = RESOLVE_CACHED};
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
