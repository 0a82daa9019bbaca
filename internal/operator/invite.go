package operator

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
)

// laptopURL is where serve answers unless it is told otherwise.
const laptopURL = "http://" + servePort

// invitePath is where a deployment shows an invitation; its code follows.
const invitePath = "/invite/"

func usersInviteFlags(c *command) {
	c.fs.StringVar(&c.opt.athlete, "athlete", "", "")
	c.fs.BoolVar(&c.opt.coach, "coach", false, "")
	c.fs.IntVar(&c.opt.back, "days", 7, "")
	c.fs.StringVar(&c.opt.name, "from", "", "")
	c.fs.StringVar(&c.opt.url, "url", "", "")
}

// usersInvite makes a link by which one person enrols with their own key. Stdout
// gets the link and nothing else.
func usersInvite(ctx context.Context, c *command) error {
	if c.opt.athlete != "" && !athleteID.MatchString(c.opt.athlete) {
		return misuse(athleteWant)
	}
	if c.opt.back < 1 || c.opt.back > int(identity.MaxInvitation/(24*time.Hour)) {
		return misuse("--days must be 1 to %d", identity.MaxInvitation/(24*time.Hour))
	}
	origin, err := c.origin()
	if err != nil {
		return err
	}
	code, i, err := c.stores.Identity.Invite(ctx, identity.Invitation{By: c.opt.name, Athlete: c.opt.athlete, Coach: c.opt.coach}, time.Duration(c.opt.back)*24*time.Hour)
	if err != nil {
		return err
	}
	link := origin + invitePath + code.Reveal()
	if c.json {
		return c.writeJSON(map[string]any{"url": link, "athlete": i.Athlete, "coach": i.Coach, "expires": stamp(i.Expires)})
	}
	who, as := "one person, whoever has it", ""
	if i.Athlete != "" {
		who = "athlete " + i.Athlete
	}
	if i.Coach {
		as = " as a coach"
	}
	c.note("An invitation for %s%s, good once and until %s. It is shown this once; send it to that person only:", who, as, when(i.Expires))
	if err := c.say("%s", link); err != nil {
		return err
	}
	if c.stack == "" && c.opt.url == "" {
		c.note("It works where `intervals-mcp serve` runs on %s with the same data folder; --url names another address.", servePort)
	}
	return nil
}

// origin is where the deployment's pages are: --url, the stack's own, or serve
// on this machine.
func (c *command) origin() (string, error) {
	address := c.opt.url
	switch {
	case address != "":
	case c.stack == "":
		return laptopURL, nil
	case c.stores.URL == "":
		return "", errors.New("the stack has no output McpUrl, so its address is unknown; name it with --url https://HOST")
	default:
		address = c.stores.URL
	}
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(address, "/"), "/mcp"))
	ok := err == nil && u.Host != "" && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" && (u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
	if !ok {
		return "", misuse("--url must be the deployment's address, such as https://mcp.example.org (http only on this machine)")
	}
	return u.Scheme + "://" + u.Host, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
