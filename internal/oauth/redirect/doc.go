// Package redirect decides where an authorization code may be sent.
//
// An address is checked once, when its client registers or its document is
// read, and compared byte for byte ever after: nothing is normalised, so that
// no look-alike can be read as something else by a browser. The one exception
// is the port of an address on the person's own machine (RFC 8252 7.3).
package redirect
