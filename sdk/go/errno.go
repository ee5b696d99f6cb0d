package turnwire

import "syscall"

// The names of the errors of system calls that the tables know; every other one has its number's text.
var errnoNames = map[syscall.Errno]string{
	syscall.ECONNREFUSED: "ECONNREFUSED", syscall.ECONNRESET: "ECONNRESET", syscall.ECONNABORTED: "ECONNABORTED",
	syscall.ETIMEDOUT: "ETIMEDOUT", syscall.ENETUNREACH: "ENETUNREACH", syscall.ENETDOWN: "ENETDOWN",
	syscall.EHOSTUNREACH: "EHOSTUNREACH", syscall.EHOSTDOWN: "EHOSTDOWN", syscall.EADDRNOTAVAIL: "EADDRNOTAVAIL",
	syscall.EADDRINUSE: "EADDRINUSE", syscall.EMFILE: "EMFILE", syscall.ENFILE: "ENFILE", syscall.ENOBUFS: "ENOBUFS",
	syscall.EPIPE: "EPIPE", syscall.EACCES: "EACCES", syscall.EPERM: "EPERM", syscall.EINVAL: "EINVAL", syscall.EBADF: "EBADF",
	syscall.EIO: "EIO", syscall.ENOTCONN: "ENOTCONN", syscall.ENOENT: "ENOENT",
}

func errnoName(err syscall.Errno) string {
	if name, known := errnoNames[err]; known {
		return name
	}
	return "E" + err.Error()
}
