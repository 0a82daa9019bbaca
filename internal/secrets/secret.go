package secrets

import "log/slog"

// Secret is a value that must never be printed: an API key or a token. Every
// way of formatting it gives "[redacted]"; Reveal is the only way to read it.
type Secret struct{ value string }

const redacted = "[redacted]"

// New wraps a value that must not be printed.
func New(value string) Secret { return Secret{value} }

// Reveal gives the value to the one place that sends or compares it.
func (s Secret) Reveal() string { return s.value }

// IsZero reports whether no value was set.
func (s Secret) IsZero() bool { return s.value == "" }

// String, GoString, LogValue, MarshalText and MarshalJSON never show the value.
func (s Secret) String() string               { return redacted }
func (s Secret) GoString() string             { return redacted }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(redacted) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
