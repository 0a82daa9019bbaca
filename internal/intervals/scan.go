package intervals

import "strings"

// The functions below take exactly the JSON that encoding/json takes, which is
// several times slower at checking it. Each is given the place where something
// begins and gives the place after it, -1 if it is no JSON.

// maxDepth bounds nesting as encoding/json does.
const maxDepth = 10_000

const space = " \n\r\t"

func trim(s string) string { return strings.Trim(s, space) }

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t') }

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// skipComma goes on to the next element of an array, or to its end.
func skipComma(s string, i int) int {
	if i = skipSpace(s, i); i < len(s) && s[i] == ',' {
		i = skipSpace(s, i+1)
	}
	return i
}

// scanValue checks any value; depth is its nesting if it is an object or array.
func scanValue(s string, i, depth int) int {
	if i >= len(s) {
		return -1
	}
	switch s[i] {
	case '"':
		return scanString(s, i)
	case '{':
		return scanObject(s, i, depth)
	case '[':
		return scanArray(s, i, depth)
	case 't':
		return scanWord(s, i, "true")
	case 'f':
		return scanWord(s, i, "false")
	case 'n':
		return scanWord(s, i, "null")
	}
	return scanNumber(s, i)
}

func scanWord(s string, i int, word string) int {
	if !strings.HasPrefix(s[i:], word) {
		return -1
	}
	return i + len(word)
}

func scanString(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i++; i == len(s) {
				return -1
			}
			switch s[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i == len(s) || !isHex(s[i]) {
						return -1
					}
				}
			default:
				return -1
			}
		}
	}
	return -1
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func scanNumber(s string, i int) int {
	if s[i] == '-' {
		i++
	}
	whole := i
	i = skipDigits(s, i)
	if i == whole || (s[whole] == '0' && i > whole+1) {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		fraction := i + 1
		if i = skipDigits(s, fraction); i == fraction {
			return -1
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		exponent := i
		if i = skipDigits(s, exponent); i == exponent {
			return -1
		}
	}
	return i
}

func skipDigits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func scanArray(s string, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	if i = skipSpace(s, i+1); i < len(s) && s[i] == ']' {
		return i + 1
	}
	for {
		if i = scanValue(s, i, depth+1); i < 0 {
			return -1
		}
		if i = skipSpace(s, i); i == len(s) {
			return -1
		}
		switch s[i] {
		case ']':
			return i + 1
		case ',':
			i = skipSpace(s, i+1)
		default:
			return -1
		}
	}
}

func scanObject(s string, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	if i = skipSpace(s, i+1); i < len(s) && s[i] == '}' {
		return i + 1
	}
	for {
		if i = scanString(s, i); i < 0 {
			return -1
		}
		if i = skipSpace(s, i); i == len(s) || s[i] != ':' {
			return -1
		}
		if i = scanValue(s, skipSpace(s, i+1), depth+1); i < 0 {
			return -1
		}
		if i = skipSpace(s, i); i == len(s) {
			return -1
		}
		switch s[i] {
		case '}':
			return i + 1
		case ',':
			i = skipSpace(s, i+1)
		default:
			return -1
		}
	}
}
