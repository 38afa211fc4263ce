package mongotest

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http/httptest"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// StartFake returns the URI of something that speaks MongoDB's wire protocol and answers every command as told: for the
// servers that a test cannot have, as an old one or a secondary.
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
func StartFake(t testing.TB, answer func(command bson.Raw) bson.D) (uri string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return fakeOn(t, listener, answer)
}

// StartFakeTLS is StartFake with TLS, and a certificate that nobody knows.
func StartFakeTLS(t testing.TB, answer func(command bson.Raw) bson.D) (uri string) {
	t.Helper()
	web := httptest.NewTLSServer(nil) // only for its certificate
	t.Cleanup(web.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: web.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	return fakeOn(t, listener, answer)
}

func fakeOn(t testing.TB, listener net.Listener, answer func(command bson.Raw) bson.D) (uri string) {
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveFake(conn, answer)
		}
	}()
	return "mongodb://" + listener.Addr().String() + "/"
}

const (
	opReply = 1
	opQuery = 2004
	opMsg   = 2013
)

func serveFake(conn net.Conn, answer func(command bson.Raw) bson.D) {
	defer conn.Close()
	for {
		request, err := readMessage(conn)
		if err != nil || len(request) < 26 {
			return
		}
		id, code := binary.LittleEndian.Uint32(request[4:]), binary.LittleEndian.Uint32(request[12:])
		body := 16 + 4 + 1 // flags, kind of section
		if code == opQuery {
			body = 16 + 4
			for request[body] != 0 {
				body++
			}
			body += 1 + 8
		}
		size := int(binary.LittleEndian.Uint32(request[body:]))
		if _, err := conn.Write(fakeReply(id, code, answer(bson.Raw(request[body:body+size])))); err != nil {
			return
		}
	}
}

// fakeReply answers an OP_MSG with one, and an OP_QUERY, with which drivers begin, with an OP_REPLY.
func fakeReply(id, code uint32, answer bson.D) []byte {
	document, err := bson.Marshal(answer)
	if err != nil {
		panic(err)
	}
	reply := make([]byte, 16)
	kind := uint32(opMsg)
	if code == opQuery {
		kind = opReply
		reply = append(reply, make([]byte, 16)...) // flags, cursor, start
		reply = append(reply, 1, 0, 0, 0)          // one document
	} else {
		reply = append(reply, 0, 0, 0, 0, 0) // flags, kind of section
	}
	reply = append(reply, document...)
	binary.LittleEndian.PutUint32(reply[0:], uint32(len(reply)))
	binary.LittleEndian.PutUint32(reply[8:], id)
	binary.LittleEndian.PutUint32(reply[12:], kind)
	return reply
}
