package main

import (
	"path/filepath"

	"precount/pixel"
)

// welcome tells a person where everything is: at length the first time, in one log line later.
func (s *service) welcome() {
	address, all := "http://"+s.listener.Addr().String(), s.registry.Directory().All()
	s.common.log.Info().Str("address", address).Str("data", s.common.data).Int("sites", len(all)).
		Str("version", versionText()).Msg("precount serves")
	if !s.firstRun && !s.flags.demo {
		return
	}
	data := s.common.data
	if absolute, err := filepath.Abs(data); err == nil {
		data = absolute
	}
	say := func(format string, args ...any) { _ = s.common.say(format, args...) }
	say("\nprecount listens on   %s\n", address)
	say("the data lies in      %s\n", data)
	if s.flags.demo {
		say("open the demo         %s/demo/\n", address)
	}
	for _, site := range all {
		say("report of a site      %s/sites/%s\n", address, site.Host)
	}
	if len(all) == 0 {
		say("no site is registered: hits are refused until you add one, for example\n\n    precount site add example.org --data %s\n", s.common.data)
	}
	say("\nPaste this into every page, with the address under which your visitors reach this server:\n\n    %s\n\n", pixel.Snippet(address))
}
