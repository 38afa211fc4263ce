package journal

import (
	"fmt"
	"runtime/debug"
	"unsafe"
)

// memoryFault is what the runtime panics with if SetPanicOnFault is on and a mapped page cannot be had: the file was
// cut beneath the mapping, the disk is full and the blocks were not reserved after all, or reading failed.
type memoryFault interface {
	error
	Addr() uintptr
}

// faultError is a memoryFault as an error.
type faultError struct{ fault memoryFault }

func (e *faultError) Error() string {
	return fmt.Sprintf("mapped page cannot be had (file cut, disk full or failing): %v", e.fault)
}

// catchFault is deferred around every access to a mapping, with the setting to go back to:
//
//	defer catchFault(debug.SetPanicOnFault(true), &err)
//
// Other panics pass through.
func catchFault(before bool, err *error) {
	debug.SetPanicOnFault(before)
	switch r := recover().(type) {
	case nil:
	case memoryFault:
		*err = &faultError{r}
	default:
		panic(r)
	}
}

// faultOffset says where in data a fault happened; -1 if elsewhere or unknown.
func faultOffset(err error, data []byte) int64 {
	fault, ok := err.(*faultError)
	if !ok || len(data) == 0 {
		return -1
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	if at := fault.fault.Addr(); at >= base && at-base < uintptr(len(data)) {
		return int64(at - base)
	}
	return -1
}
