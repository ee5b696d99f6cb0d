package turnwire

import (
	"bufio"
	"io"
	"strings"
)

// frame is one server-sent event, as the HTML standard has them.
type frame struct{ name, id, data string }

// frames reads a stream of them.
type frames struct {
	lines *bufio.Scanner
	// heard is called for each line: a comment is a sign of life too.
	heard func()
}

func newFrames(body io.Reader, heard func()) *frames {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, feedLineBytes)
	return &frames{lines, heard}
}

// next is the next frame that is whole; false at the end, which a half frame does not outlive.
func (f *frames) next() (made frame, ok bool) {
	var data []string
	for f.lines.Scan() {
		f.heard()
		line := strings.TrimSuffix(f.lines.Text(), "\r")
		if line == "" {
			if data == nil {
				made = frame{}
				continue
			}
			if made.name == "" {
				made.name = "message"
			}
			made.data = strings.Join(data, "\n")
			return made, true
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			made.name = value
		case "id":
			made.id = value
		case "data":
			data = append(data, value)
		}
	}
	return frame{}, false
}

// err is why the stream ended, nil at its clean end.
func (f *frames) err() error { return f.lines.Err() }
