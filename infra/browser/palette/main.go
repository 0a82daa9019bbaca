// Command palette makes PNG files small, in place: pictures of our pages have
// few colours, and the 128 most frequent ones stand for all.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"slices"
)

// colours is how many a picture keeps; most is how large it may be, in bytes.
const (
	colours = 128
	most    = 100_000
)

func main() {
	for _, file := range os.Args[1:] {
		if err := shrink(file); err != nil {
			log.Fatalf("%s: %v", file, err)
		}
	}
}

func shrink(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduced(picture)); err != nil {
		return err
	}
	if out.Len() > most {
		return fmt.Errorf("%d bytes, at most %d", out.Len(), most)
	}
	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // a picture for everybody
}

// reduced gives the picture with a palette. Equal pictures give equal palettes.
func reduced(from image.Image) *image.Paletted {
	area := from.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var all []color.RGBA
	for c := range count {
		all = append(all, c)
	}
	number := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return number(a) - number(b)
	})
	var palette color.Palette
	for _, c := range all[:min(len(all), colours)] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range all {
		nearest[c] = uint8(palette.Index(c)) //nolint:gosec // below 128
	}
	to := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			to.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	return to
}
