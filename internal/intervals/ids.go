package intervals

import (
	"fmt"
	"strconv"
)

// CheckID refuses an id that could reach another endpoint or is no id at all.
// Ids are letters, digits, "-" and "_" (API.md 1.3), at most 64.
func CheckID(what, id string) error {
	ok := id != "" && len(id) <= 64
	for i := 0; ok && i < len(id); i++ {
		c := id[i]
		ok = c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
	}
	if ok {
		return nil
	}
	return fmt.Errorf("%s: want letters and digits such as i12345", what)
}

func badID(op, what, id string) error {
	if err := CheckID(what, id); err != nil {
		return &Error{Op: op, Kind: BadArgument, Reason: err.Error()}
	}
	return nil
}

func badNumber(op, what string, id int64) error {
	if id <= 0 {
		return &Error{Op: op, Kind: BadArgument, Reason: what + ": want a positive whole number"}
	}
	return nil
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }
