package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/secrets"
)

// MaxInvitation is how long an invitation is good at most.
const MaxInvitation = 30 * 24 * time.Hour

// Invitation lets one person enrol.
type Invitation struct {
	By       string    // who made it, for people: "operator", or a user id
	Athlete  string    // the only athlete it is for; "" = whoever has it
	Coach    bool      // the person becomes a coach
	Athletes []string  // whom the coach reaches; may be completed at enrolment
	Created  time.Time // UTC
	Expires  time.Time
}

// ErrNoInvitation says that an invitation cannot be used: it is unknown, used,
// expired, withdrawn, or for another athlete, and nobody is told which.
var ErrNoInvitation = errors.New("identity: the invitation is not good, or no longer")

// Invite makes an invitation that is good once, for life (at most
// MaxInvitation). The code, 256 random bits, is given here and never again.
// Error: *InputError.
func (s *Store) Invite(ctx context.Context, i Invitation, life time.Duration) (secrets.Secret, Invitation, error) {
	u := User{ID: UserID(i.Athlete), Athlete: i.Athlete, Coach: i.Coach, Athletes: i.Athletes}
	if i.Athlete == "" {
		u.ID, u.Athlete = "anybody", "anybody"
	}
	if err := u.check(); err != nil {
		return secrets.Secret{}, Invitation{}, err
	}
	if life <= 0 || life > MaxInvitation {
		return secrets.Secret{}, Invitation{}, &InputError{"days", fmt.Sprintf("1 to %d", MaxInvitation/(24*time.Hour))}
	}
	code := NewToken(KindInvite)
	i.By, i.Athletes = oneLine(i.By), u.Athletes
	i.Created = s.now().UTC().Truncate(time.Second)
	i.Expires = i.Created.Add(life)
	if err := s.table.PutNote(ctx, i.note(code)); err != nil {
		return secrets.Secret{}, Invitation{}, err
	}
	return code, i, nil
}

// Invitation gives an invitation that can be used: ErrNoInvitation.
func (s *Store) Invitation(ctx context.Context, code secrets.Secret) (Invitation, error) {
	if k, err := KindOf(code.Reveal()); err != nil || k != KindInvite {
		return Invitation{}, ErrNoInvitation
	}
	n, err := s.note(ctx, NoteInvite, code.Reveal())
	if errors.Is(err, ErrNoNote) {
		return Invitation{}, ErrNoInvitation
	}
	if err != nil {
		return Invitation{}, err
	}
	f := n.Fields
	i := Invitation{By: f["by"], Athlete: f["athlete"], Coach: f["coach"] == "true", Athletes: split(f["athletes"], ","), Expires: n.Expires}
	if err := unstamp(f["created"], &i.Created); err != nil {
		return Invitation{}, fmt.Errorf("%w (invitation)", ErrDamaged)
	}
	return i, nil
}

// Withdraw ends an invitation; it is no error when there is none.
func (s *Store) Withdraw(ctx context.Context, code secrets.Secret) error {
	return s.table.DropNote(ctx, NoteInvite, HashOf(code.Reveal()).Hex())
}

func (i Invitation) note(code secrets.Secret) Note {
	f := map[string]string{"by": i.By, "athlete": i.Athlete, "athletes": strings.Join(i.Athletes, ","), "created": stamp(i.Created)}
	if i.Coach {
		f["coach"] = "true"
	}
	return newNote(NoteInvite, code.Reveal(), f, i.Expires)
}

// Enrol enrols a user who signs in for the first time. With an invitation, that
// is used up in the same transaction, so that one lets one person in however
// many try at once; Coach and Athletes of the user are what the caller decided,
// who has seen the Invitation. Without one (the zero Secret) the caller has
// decided that the athlete may enrol. Errors: ErrNoInvitation, ErrExists (the
// invitation stays good), *InputError.
func (s *Store) Enrol(ctx context.Context, u User, invitation secrets.Secret) (User, error) {
	if invitation.IsZero() {
		return s.AddUser(ctx, u)
	}
	for attempt := 1; ; attempt++ {
		i, err := s.Invitation(ctx, invitation)
		if err != nil {
			return User{}, err
		}
		if i.Athlete != "" && UserID(i.Athlete) != UserID(u.Athlete) || u.Coach && !i.Coach {
			return User{}, ErrNoInvitation
		}
		take := i.note(invitation)
		added, err := s.add(ctx, u, Changes{Take: &take})
		if !errors.Is(err, ErrConflict) || attempt == attempts {
			return added, err
		}
		// Somebody used the invitation, or the user is there: the next look tells.
		if _, err := s.User(ctx, u.ID); err == nil {
			return User{}, ErrExists
		} else if !errors.Is(err, ErrNoUser) {
			return User{}, err
		}
		if err := pause(ctx, attempt); err != nil {
			return User{}, err
		}
	}
}
