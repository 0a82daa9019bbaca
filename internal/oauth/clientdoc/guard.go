package clientdoc

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

var errAddress = errors.New("the address is not one of the public internet")

// ipv4Closed is what no stranger's URL may reach (IANA IPv4 special-purpose
// registry), and Azure's metadata service, which has a public address.
var ipv4Closed = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
)

// Of IPv6 only global unicast is open, without what embeds another address or
// is set aside. 64:ff9b::/96 is the road to IPv4 on networks without it, and is
// judged by the address within.
var (
	ipv6Open   = netip.MustParsePrefix("2000::/3")
	ipv6Closed = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// public refuses an address that is not on the public internet: private,
// loopback, link-local, shared, multicast, reserved, or one of those within an
// IPv6 address.
func public(a netip.Addr) error {
	if !a.IsValid() || a.Zone() != "" {
		return errAddress
	}
	a = a.Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	closed := ipv4Closed
	if a.Is6() {
		if !ipv6Open.Contains(a) {
			return errAddress
		}
		closed = ipv6Closed
	}
	for _, p := range closed {
		if p.Contains(a) {
			return errAddress
		}
	}
	return nil
}

// Resolver looks up names; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// guard connects to public addresses only. A name is looked up once, every
// address it has must be public, and the connection goes to one that was
// checked: a second answer of the same name counts for nothing (DNS rebinding).
type guard struct {
	resolver Resolver
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

func newGuard(r Resolver) *guard {
	d := &net.Dialer{Control: control}
	return &guard{resolver: r, dial: d.DialContext}
}

// control checks the address once more, when the socket is about to connect.
func control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return errAddress
	}
	return public(to.Addr())
}

func (g *guard) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	found, err := g.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if err := public(a); err != nil {
			return nil, err
		}
	}
	err = errAddress
	for _, a := range found {
		var c net.Conn
		if c, err = g.dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return c, nil
		}
	}
	return nil, err
}
