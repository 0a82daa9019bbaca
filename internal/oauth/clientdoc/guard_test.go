package clientdoc

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"
)

func TestCIMD_OnlyPublicAddressesAreReached(t *testing.T) {
	for name, list := range map[string][]string{
		"loopback":                 {"127.0.0.1", "127.8.8.8", "::1"},
		"unspecified":              {"0.0.0.0", "0.1.2.3", "::"},
		"private":                  {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"},
		"link-local":               {"169.254.0.1", "fe80::1", "fe80::1%eth0"},
		"metadata":                 {"169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"},
		"carrier-grade NAT":        {"100.64.0.1", "100.127.255.255"},
		"multicast":                {"224.0.0.1", "239.255.255.255", "ff02::1"},
		"reserved":                 {"240.0.0.1", "255.255.255.255", "198.18.0.1", "198.19.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "100::1"},
		"IPv4 mapped":              {"::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1"},
		"IPv4 compatible":          {"::127.0.0.1", "::10.0.0.1"},
		"IPv4 translated":          {"::ffff:0:127.0.0.1"},
		"NAT64":                    {"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::a00:1", "64:ff9b:1::8.8.8.8"},
		"6to4":                     {"2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1"},
		"Teredo":                   {"2001:0:4136:e378:8000:63bf:3fff:fdd2"},
		"site-local":               {"fec0::1"},
		"segment routing, ORCHID":  {"5f00::1", "2001:20::1"},
		"zone of a public address": {"2606:4700::1%eth0"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range list {
				if public(netip.MustParseAddr(s)) == nil {
					t.Errorf("%s counts as public", s)
				}
			}
		})
	}
	if public(netip.Addr{}) == nil {
		t.Error("no address counts as public")
	}
	for _, s := range []string{"93.184.216.34", "104.18.32.47", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::6812:202f", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"} {
		if err := public(netip.MustParseAddr(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// names answers look-ups in turn, the last answer again and again.
type names struct {
	answers [][]string
	asked   atomic.Int32
}

func (n *names) LookupNetIP(context.Context, string, string) (out []netip.Addr, _ error) {
	i := min(int(n.asked.Add(1))-1, len(n.answers)-1)
	for _, s := range n.answers[i] {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func TestCIMD_EveryAddressOfANameMustBePublic(t *testing.T) {
	for _, answer := range [][]string{{"127.0.0.1"}, {"93.184.216.34", "10.0.0.1"}, {"::ffff:169.254.169.254"}, {}} {
		g := newGuard(&names{answers: [][]string{answer}})
		g.dial = func(context.Context, string, string) (net.Conn, error) {
			t.Errorf("%v: it connects", answer)
			return nil, errors.New("no")
		}
		if _, err := g.connect(t.Context(), "tcp", "client.example:443"); !errors.Is(err, errAddress) {
			t.Errorf("%v: %v", answer, err)
		}
	}
}

func TestCIMD_ARebindingNameIsConnectedToWhereItWasChecked(t *testing.T) {
	resolver := &names{answers: [][]string{{"93.184.216.34"}, {"127.0.0.1"}}}
	g := newGuard(resolver)
	var to string
	g.dial = func(_ context.Context, _, address string) (net.Conn, error) {
		to = address
		return nil, errors.New("enough")
	}
	_, _ = g.connect(t.Context(), "tcp", "rebind.example:8443")
	if to != "93.184.216.34:8443" || resolver.asked.Load() != 1 {
		t.Errorf("connects to %s after %d look-ups", to, resolver.asked.Load())
	}
}

func TestCIMD_TheAddressIsCheckedAgainAtConnectTime(t *testing.T) {
	for _, to := range []string{"127.0.0.1:443", "[::1]:443", "169.254.169.254:80", "[::ffff:10.0.0.1]:443", "nonsense"} {
		if !errors.Is(control("tcp", to, nil), errAddress) {
			t.Errorf("%s may be connected to", to)
		}
	}
	if err := control("tcp4", "93.184.216.34:443", nil); err != nil {
		t.Error(err)
	}
	// The real dialer of the guard, led astray past the first check.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // a test
	g := newGuard(&names{})
	if _, err := g.dial(t.Context(), "tcp", l.Addr().String()); !errors.Is(err, errAddress) {
		t.Errorf("dialed: %v", err)
	}
}

func TestCIMD_ALocalServerIsNeverConnectedTo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan struct{})
	go func() {
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
			close(came)
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	f := New(Options{Resolver: &names{answers: [][]string{{"127.0.0.1"}}}, Now: func() time.Time { return start }})
	_, err = f.Get(t.Context(), "https://local.example:"+port+"/client.json")
	if !errors.Is(err, errAddress) {
		t.Error(err)
	}
	_ = l.Close()
	select {
	case <-came:
		t.Error("it was connected to")
	default:
	}
}
