// Numbers of the kernel's interface: flags, ioctl(2) requests, errors.

export const AT_FDCWD = -100;
export const AT_SYMLINK_NOFOLLOW = 0x100;
export const AT_SYMLINK_FOLLOW = 0x400;
export const O_CLOEXEC = 0o2000000;
/** These are the same on all architectures. */
export const SYS_FSOPEN = 430;
export const SYS_FSCONFIG = 431;
export const SYS_FSMOUNT = 432;
export const SYS_OPENAT2 = 437;
export const FSOPEN_CLOEXEC = 1;
export const FSCONFIG_CMD_CREATE = 6;
export const FSMOUNT_CLOEXEC = 1;
export const RESOLVE_NO_MAGICLINKS = 0x02;
export const RESOLVE_IN_ROOT = 0x10;
export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_NETLINK = 16;
export const SOCK_STREAM = 1;
export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
export const SOCK_SEQPACKET = 5;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;
export const SOL_SOCKET = 1;
export const SO_REUSEADDR = 2;
export const SO_REUSEPORT = 15;
export const IPPROTO_IPV6 = 41;
export const IPV6_V6ONLY = 26;
export const SO_PEERCRED = 17;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_SNDBUFFORCE = 32;
export const SO_RCVBUFFORCE = 33;
export const DT_UNKNOWN = 0;
export const TCGETS = 0x5401;
export const TCSETS = 0x5402;
/** The bits that cfmakeraw(3) clears in the first four mode fields: IGNBRK … IXON, OPOST, PARENB, ECHO … IEXTEN. */
export const COOKED = [0o2753, 0o1, 0o400, 0o100113];
export const TIOCSWINSZ = 0x5414;
/** On 64-bit architectures; the argument has 32 bits all the same. */
export const FS_IOC_GETFLAGS = 0x80086601;
export const FS_IOC_SETFLAGS = 0x40086602;
export const FS_TOPDIR_FL = 0x20000;
export const TIOCGPTPEER = 0x5441;
export const FIONREAD = 0x541b;
export const FIONBIO = 0x5421;
export const F_DUPFD_CLOEXEC = 1030;
export const O_RDWR = 0o2;
export const O_NOCTTY = 0o400;
export const TIOCGPTN = 0x80045430;
export const TIOCSPTLCK = 0x40045431;
export const POLLHUP = 0x10;
export const WNOHANG = 1;
export const SCHED_OTHER = 0;
export const SCHED_RESET_ON_FORK = 0x40000000;
export const MADV_DONTNEED = 4;
export const M_TRIM_THRESHOLD = -1;
export const M_MMAP_THRESHOLD = -3;
export const MSG_DONTWAIT = 0x40;
export const EIO = 5;
export const ENXIO = 6;
export const EAGAIN = 11;
export const ENETUNREACH = 101;
export const ECONNREFUSED = 111;
export const EHOSTUNREACH = 113;
export const EINPROGRESS = 115;
export const ERANGE = 34;
export const ENAMETOOLONG = 36;
export const ENODATA = 61;
export const ENOTSUP = 95;

// lseek(2)
export const SEEK_DATA = 3;
export const SEEK_HOLE = 4;
