package devservertest

import "net"

// Pipes is an in-memory net.Listener, for use in a synctest bubble.
type Pipes chan net.Conn

// Accept returns the next connection that was sent to the channel.
func (p Pipes) Accept() (net.Conn, error) {
	if c, open := <-p; open {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close ends the listener.
func (p Pipes) Close() error { close(p); return nil }

// Addr returns an address of this machine.
func (p Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
