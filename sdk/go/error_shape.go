package turnwire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"syscall"
)

// level is what one level of an error says.
type level struct {
	name, code, syscall string
}

// shaped is an error that says by itself what its level is: those of the shared vectors.
type shaped interface {
	TurnwireLevel() (name, code, call string)
}

// Values that are errors by themselves, and how they are called.
var sentinels = []struct {
	err  error
	name string
}{
	{http.ErrSchemeMismatch, "ErrSchemeMismatch"}, {io.EOF, "EOF"}, {io.ErrUnexpectedEOF, "ErrUnexpectedEOF"}, {net.ErrClosed, "ErrClosed"}, {os.ErrClosed, "ErrClosed"},
	{context.Canceled, "Canceled"}, {context.DeadlineExceeded, "DeadlineExceeded"},
}

func levelOf(err error) level {
	if own, ok := err.(shaped); ok {
		name, code, call := own.TurnwireLevel()
		return level{name, code, call}
	}
	for _, each := range sentinels {
		if sameError(err, each.err) {
			return level{name: each.name}
		}
	}
	switch err := err.(type) {
	case *net.OpError:
		return level{name: "OpError." + err.Op}
	case *os.SyscallError:
		return level{name: "SyscallError", syscall: err.Syscall}
	case syscall.Errno:
		return level{name: "Errno", code: errnoName(err)}
	}
	return level{name: typeName(err)}
}

// sameError compares without a panic: an error of a type that cannot be compared equals nothing.
func sameError(one, other error) bool {
	return reflect.TypeOf(one) == reflect.TypeOf(other) && reflect.TypeOf(one).Comparable() && one == other
}

// typeName is the name of an error's type, without package and pointer.
func typeName(err error) string {
	of := reflect.TypeOf(err)
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of.Name()
}

// causeOf is the next level, or nil. It never panics, whatever an error's own method does.
func causeOf(err error) (cause error) {
	defer func() {
		if recover() != nil {
			cause = nil
		}
	}()
	return errors.Unwrap(err)
}

// membersOf is the members of a joined error; ok is false when it is none. Those that are too many prove nothing (TW-CER-017).
func membersOf(err error) (members []error, ok bool) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			members = nil
		}
	}()
	if members = joined.Unwrap(); len(members) > errorMembers {
		members = nil
	}
	return members, true
}

// messageOf is an error's text in one line.
func messageOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = typeName(err)
		}
	}()
	if text = strings.Join(strings.Fields(err.Error()), " "); text == "" {
		return typeName(err)
	}
	return text
}
