package presence

// Excess returns which of the streams that a process leads it should hand over, so that live
// processes of equal priority lead equally many, give or take one: a quarter of the difference to
// the one that leads the fewest, and at least one stream where the difference is two or more.
//
// Several may see the same process with few. Each of n that could hand something over does so with
// a chance of one in n, which dice decides: it returns a number below its argument.
func Excess(own Process, listed []Listed, dice func(int) int) (streams []string) {
	fewest, donors := len(own.Leads), 1
	var takers []Process
	for _, other := range listed {
		switch {
		case !other.Live() || other.ID() == own.ID():
		case len(other.Leads) >= len(own.Leads):
			donors++
		case len(own.Leads)-len(other.Leads) >= 2 && takesAny(own, other.Process):
			fewest = min(fewest, len(other.Leads))
			takers = append(takers, other.Process)
		}
	}
	if len(takers) == 0 || dice(donors) != 0 {
		return nil
	}
	most := max(1, (len(own.Leads)-fewest)/4)
	for _, stream := range own.Leads {
		for _, taker := range takers {
			if len(streams) < most && takes(own, taker, stream) {
				streams = append(streams, stream)
				break
			}
		}
	}
	return streams
}

func takesAny(own, other Process) bool {
	for _, stream := range own.Leads {
		if takes(own, other, stream) {
			return true
		}
	}
	return false
}

// takes reports whether another process could lead a stream as well as this one.
func takes(own, other Process, stream string) bool {
	mine, _ := own.stream(stream)
	theirs, _ := other.stream(stream)
	return other.deploys(stream) && mine.Priority == theirs.Priority
}
