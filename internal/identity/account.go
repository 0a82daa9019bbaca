package identity

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"time"
)

// MaxTokens bounds a user's personal tokens in force. With MaxConnections, and
// accessPerConnection for each, all items of a user can be rewritten with the
// user in one DynamoDB transaction (100 items).
const MaxTokens = 48

// maxItems bounds all tokens of an account; it leaves a transaction place for
// the user, a new token, and a note.
const maxItems = MaxTokens + MaxConnections*accessPerConnection

// Account is a user with all their tokens and connections: what changes
// together.
type Account struct {
	User        User
	Tokens      []Token // personal tokens, and access tokens until they end
	Connections []Connection
	Rev         string // changes with every Save; "" = not stored yet

	loaded []Hash // of the tokens that are stored
}

// Changes is what Save writes beside the account.
type Changes struct {
	Tokens []Token // those of the account's tokens that are new or changed
	Notes  []Note  // put, whatever was there
	Take   *Note   // deleted; when it is not there any more, nothing is written (ErrConflict)
}

// Table is where accounts and notes are kept. Implementations are safe for
// concurrent use, and their reads see every write that was finished before.
type Table interface {
	Tokens
	// Account gives a user with tokens and connections, without LastUsed;
	// ErrNoUser. It is made by AccountOf.
	Account(ctx context.Context, user string) (Account, error)
	// Users gives every user, in no particular order.
	Users(ctx context.Context) iter.Seq2[User, error]
	// Save writes the account (Account.Fields) and the changes, and deletes the
	// tokens it no longer holds (Account.Dropped), all or nothing. It fails with
	// ErrConflict when the stored account is not the one that was loaded: another
	// Rev, or there where Rev is "".
	Save(ctx context.Context, a Account, c Changes) error
	// Remove deletes the account with its tokens and their last use, under the
	// same condition.
	Remove(ctx context.Context, a Account) error
	// Note gives a note; ErrNoNote. One past its end may still be given. PutNote
	// keeps one, whatever was there. DropNote deletes one, if it is there.
	Note(ctx context.Context, kind NoteKind, key string) (Note, error)
	PutNote(ctx context.Context, n Note) error
	DropNote(ctx context.Context, kind NoteKind, key string) error
	// Touch notes that a token or connection was used. LastUsed gives what was
	// noted.
	Touch(ctx context.Context, id string, at time.Time) error
	LastUsed(ctx context.Context, ids []string) (map[string]time.Time, error)
}

// Tokens is the authorizer's whole view of a Table.
type Tokens interface {
	// Token gives the record under a hash in one strongly consistent read:
	// ErrNoToken when there is none, ErrNewer when it cannot be understood.
	Token(ctx context.Context, h Hash) (Token, error)
}

// AccountOf makes an account of what a table read.
func AccountOf(rev string, user map[string]string, connections []map[string]string, tokens []Token) (Account, error) {
	u, err := UserOf(user)
	if err != nil {
		return Account{}, err
	}
	a := Account{User: u, Tokens: tokens, Rev: rev}
	for _, f := range connections {
		c, err := connectionOf(u.ID, f)
		if err != nil {
			return Account{}, err
		}
		if !c.Chosen {
			c = c.follow(u)
		}
		a.Connections = append(a.Connections, c)
	}
	for _, t := range tokens {
		a.loaded = append(a.loaded, t.Hash)
	}
	return a, nil
}

// Fields is what a table keeps of the account under its user's id, beside Rev
// and the hashes of its tokens.
func (a Account) Fields() (user map[string]string, connections []map[string]string) {
	user = a.User.Fields()
	for _, c := range a.Connections {
		connections = append(connections, c.Fields())
		user["v"] = strconv.Itoa(SchemaVersion) // an older release would lose them
	}
	return user, connections
}

// Dropped gives the tokens that are stored and that the account no longer holds.
func (a Account) Dropped() []Hash {
	return slices.DeleteFunc(slices.Clone(a.loaded), func(h Hash) bool {
		return slices.ContainsFunc(a.Tokens, func(t Token) bool { return t.Hash == h })
	})
}

// IDs gives the ids under which the use of the account's tokens is noted.
func (a Account) IDs() []string {
	var ids []string
	for _, t := range a.Tokens {
		ids = append(ids, t.ID)
	}
	for _, c := range a.Connections {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (a *Account) connection(id string) (*Connection, bool) {
	i := slices.IndexFunc(a.Connections, func(c Connection) bool { return c.ID == id })
	if i < 0 {
		return nil, false
	}
	return &a.Connections[i], true
}

// prune lets go of what need not be known any more.
func (a *Account) prune(now time.Time) {
	a.Tokens = slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.gone(now) })
	a.Connections = slices.DeleteFunc(a.Connections, func(c Connection) bool { return c.gone(now) })
}

// forget drops a connection with its access tokens.
func (a *Account) forget(id string) {
	a.Connections = slices.DeleteFunc(a.Connections, func(c Connection) bool { return c.ID == id })
	a.Tokens = slices.DeleteFunc(a.Tokens, func(t Token) bool { return t.ID == id })
}

// put adds an access token; the oldest of the same connection make room for it.
func (a *Account) put(t Token) error {
	var same []Token
	for _, o := range a.Tokens {
		if o.ID == t.ID {
			same = append(same, o)
		}
	}
	slices.SortFunc(same, func(a, b Token) int { return b.Expires.Compare(a.Expires) })
	for _, old := range same[min(len(same), accessPerConnection-1):] {
		a.Tokens = slices.DeleteFunc(a.Tokens, func(o Token) bool { return o.Hash == old.Hash })
	}
	if len(a.Tokens) >= maxItems {
		return ErrTooMany
	}
	a.Tokens = append(a.Tokens, t)
	return nil
}

// revoke ends connections, and the tokens in force that match.
func (a *Account) revoke(now time.Time, match func(Token) bool, connections ...string) (c Changes) {
	now = now.UTC().Truncate(time.Second)
	for i := range a.Connections {
		if o := &a.Connections[i]; slices.Contains(connections, o.ID) && o.Usable(now) == nil {
			o.Revoked = now
		}
	}
	for i, t := range a.Tokens {
		if match(t) && t.Usable(now) == nil {
			a.Tokens[i].Revoked = now
			c.Tokens = append(c.Tokens, a.Tokens[i])
		}
	}
	return c
}

// rewrite gives the tokens in force, and the connections, what their user and
// connection are now, and gives those tokens that changed.
func (a *Account) rewrite(now time.Time) (changed []Token) {
	for i, c := range a.Connections {
		if c.Usable(now) == nil {
			a.Connections[i] = c.follow(a.User)
		}
	}
	for i, t := range a.Tokens {
		is := t.follow(a.User)
		if c, ok := a.connection(t.ID); ok {
			is = t.grant(*c, a.User)
		}
		if t.Usable(now) == nil && !is.same(t) {
			a.Tokens[i] = is
			changed = append(changed, is)
		}
	}
	return changed
}
