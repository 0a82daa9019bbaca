package identity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// User is an athlete or coach enrolled on this deployment.
type User struct {
	ID       string    // the key owner's athlete id in lower case (UserID)
	Athlete  string    // the key owner's athlete id as Intervals.icu writes it
	Name     string    // what the operator calls them; not used to decide anything
	Coach    bool      // whether they may name other athletes
	Athletes []string  // whom a coach may reach beside themselves, always written out
	Created  time.Time // UTC
	// Epoch is a random text that a browser's session must name. It changes with
	// SignOut, RevokeTokens and a new enrolment: sessions of before are over.
	// Users of an older release have none until then.
	Epoch string
}

// maxAthletes bounds a coach's list: the authorizer's context travels in one
// event, and a token's record must stay small.
const maxAthletes = 200

// UserID gives the user id of a key's owner.
func UserID(athlete string) string { return strings.ToLower(athlete) }

// ValidUser reports whether a text can be a user id: ^[a-z0-9][a-z0-9_-]{0,63}$.
// It is checked when a user is added, in the authorizer, and again where a
// secret's name is made from it.
func ValidUser(id string) bool {
	if id == "" || len(id) > 64 || id[0] == '_' || id[0] == '-' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// validAthlete reports whether a text can be an athlete's id: letters and
// digits ("i12345", "2049151").
func validAthlete(id string) bool {
	return id != "" && id != "0" && len(id) <= 32 && strings.Trim(strings.ToLower(id), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// check refuses a user that must not be stored and puts the list in order.
func (u *User) check() error {
	switch {
	case !ValidUser(u.ID):
		return &InputError{"user", "a user id is the athlete id in lower case: letters, digits, _ and -, at most 64"}
	case u.ID == Local && (u.Athlete != "0" || u.Coach):
		return &InputError{"user", "local is the built-in user of serve and stdio"}
	case u.ID != Local && !validAthlete(u.Athlete):
		return &InputError{"athlete", "an athlete id is letters and digits, such as i12345"}
	case u.ID != Local && u.ID != UserID(u.Athlete):
		return &InputError{"user", "the user id is the athlete id in lower case"}
	case len(u.Name) > maxLabel:
		return &InputError{"name", fmt.Sprintf("at most %d bytes", maxLabel)}
	case !u.Coach && len(u.Athletes) > 0:
		return &InputError{"athletes", "only a coach reaches other athletes"}
	case len(u.Athletes) > maxAthletes:
		return &InputError{"athletes", fmt.Sprintf("at most %d", maxAthletes)}
	}
	for _, a := range u.Athletes {
		if !validAthlete(a) {
			return &InputError{"athletes", fmt.Sprintf("%q is no athlete id", a)}
		}
	}
	u.Athletes = ordered(u.Athletes, u.Athlete)
	return nil
}

// ordered sorts a list of athletes, without doubles and without the own one.
func ordered(list []string, own string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(a string) bool { return a == own })
	slices.Sort(list)
	return slices.Compact(list)
}

// InputError says which value a person gave was wrong, and what is wanted.
type InputError struct{ Field, Want string }

// Error names field and remedy.
func (e *InputError) Error() string { return e.Field + ": " + e.Want }

// Why a user or a token cannot be had or changed.
var (
	ErrNoUser  = errors.New("identity: there is no such user")
	ErrExists  = errors.New("identity: the user exists already")
	ErrNoToken = errors.New("identity: there is no such token")
	ErrNewer   = errors.New("identity: the record was written by a newer release; update this one (on AWS: sam build && sam deploy)")
	ErrDamaged = errors.New("identity: the record is damaged")
	ErrTooMany = fmt.Errorf("identity: a user has at most %d tokens in force; revoke one first", MaxTokens)
	// ErrConflict is Table's word for "changed since it was loaded". Store tries
	// again and gives it only when that keeps happening.
	ErrConflict = errors.New("identity: the user was changed by somebody else at the same time; try again")
)
