//! Pages read back as a viewer would: what is drawn, which letters stand there, and how large the
//! paper is.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::*;

const PICTURE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="84.00mm" height="42.00mm" viewBox="0 0 2000 1000" font-family="Helvetica" role="img">
<title id="t">Residual &amp; λ</title>
<desc id="d">One line.</desc>
<rect width="2000" height="1000" fill="#FFFFFF"/>
<clipPath id="c"><rect x="100" y="100" width="500" height="400"/></clipPath>
<g clip-path="url(#c)" stroke-dasharray="30 20" fill-opacity="0.22">
<title>line</title>
<polyline fill="none" stroke="#0072B2" stroke-width="12" points="0,0 100,100 200,0"/>
<polygon fill="#D55E00" points="0,0 10,0 10,10"/>
</g>
<g><path d="M1 2L3.5 4Z" fill="none" stroke="#000000"/><circle cx="5" cy="6" r="2" fill="#000000"/><line x1="0" y1="0" x2="1" y2="1" stroke="#000000"/></g>
<text x="100" y="900" dy="0.76em" text-anchor="middle" font-size="75" fill="#1A1A1A">10<tspan dy="-0.5em" font-size="72%">−8</tspan></text>
<text x="50" y="500" font-size="80" font-weight="bold" fill="#1A1A1A" transform="rotate(270, 50, 500)">ω ‖r‖∞ ≤ µ</text>
</svg>
"##;

/// The streams of a file, unpacked where they are packed.
fn streams(pdf: &[u8]) -> Vec<Vec<u8>> {
    let find = |from: usize, what: &[u8]| {
        let mut windows = pdf[from..].windows(what.len());
        windows
            .position(|window| window == what)
            .map(|at| from + at)
    };
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(start) = find(from, b"\nstream\n") {
        let begin = start + b"\nstream\n".len();
        let end = find(begin, b"\nendstream").expect("an end");
        let mut bytes = Vec::new();
        let unpacked = ZlibDecoder::new(&pdf[begin..end]).read_to_end(&mut bytes);
        found.push(if unpacked.is_ok() {
            bytes
        } else {
            pdf[begin..end].to_vec()
        });
        from = end;
    }
    found
}

/// The whole file as text, its streams unpacked behind it.
fn readable(pdf: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(pdf).into_owned();
    for stream in streams(pdf) {
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&stream));
    }
    text
}

#[test]
fn equal_pictures_are_equal_bytes_without_a_date() {
    let one = from_svg(PICTURE, 300.0).expect("a page");
    assert_eq!(one, from_svg(PICTURE, 300.0).expect("a page"));
    let text = readable(&one);
    assert!(!text.contains("Date") && !text.contains("/ID"), "{text}");
}

#[test]
fn the_paper_has_the_size_of_the_picture() {
    let text = readable(&from_svg(PICTURE, 300.0).expect("a page"));
    // 84 mm and 42 mm in points
    let page = text.split("/MediaBox [").nth(1).expect("a box");
    let page = page.split(']').next().expect("an end");
    let sizes: Vec<f64> = page
        .split(' ')
        .map(|word| word.parse().expect("a number"))
        .collect();
    let millimetres = |points: f64| points * 25.4 / 72.0;
    assert_eq!(&sizes[..2], [0.0, 0.0]);
    assert!(
        (millimetres(sizes[2]) - 84.0).abs() < 1e-3 && (millimetres(sizes[3]) - 42.0).abs() < 1e-3
    );
    let narrow = readable(&from_svg(PICTURE, 42.0).expect("a page"));
    let page = narrow.split("/MediaBox [").nth(1).expect("a box");
    assert!(page.starts_with("0 0 119.05"), "{}", &page[..40]);
}

#[test]
fn text_is_text_and_its_fonts_are_in_the_file() {
    let pdf = from_svg(PICTURE, 300.0).expect("a page");
    let text = readable(&pdf);
    for part in [
        "/FontFile2",
        "/ToUnicode",
        "+Arimo\n",
        "+Arimo-Bold\n",
        "/Title",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // the letters by their meaning: every one of the picture, in one of the two fonts
    for letter in "10−8ωr‖∞≤µ ".chars() {
        let code = format!("<{:04X}>", u32::from(letter));
        assert!(text.contains(&code), "{letter} {code}");
    }
    // far smaller than the fonts of the program
    assert!(pdf.len() < 20_000, "{}", pdf.len());
}

#[test]
fn marks_are_drawn_with_their_clips_dashes_and_opacities() {
    let pdf = from_svg(PICTURE, 300.0).expect("a page");
    let drawn = streams(&pdf).pop().expect("the page");
    let drawn = String::from_utf8_lossy(&drawn).into_owned();
    for part in [
        "100 100 500 400 re",
        "\nW\n",
        "[30 20] 0 d",
        "/G0 gs",
        "Tj",
        "2000 1000",
        " c\n",
    ] {
        assert!(drawn.contains(part), "{part} in {drawn}");
    }
    assert_eq!(drawn.matches("q\n").count(), drawn.matches("Q\n").count());
}

#[test]
fn letters_that_no_font_has_are_marked_and_invisible_ones_left_out() {
    let svg = PICTURE.replace("ω ‖r‖∞ ≤ µ", "漢\u{202e}x\u{200b}");
    let text = readable(&from_svg(&svg, 300.0).expect("a page"));
    assert!(text.contains("<FFFD>") && !text.contains("<202E>"));
}

#[test]
fn what_is_not_known_is_refused_with_its_line() {
    for (old, new, said) in [
        ("<circle", "<ellipse", "line 11: <ellipse>"),
        ("#0072B2", "blue", "the colour \"blue\""),
        ("url(#c)", "url(#d)", "clip-path"),
        ("0,0 10,0", "0,0 1x,0", "the number \"1x\""),
        ("M1 2L3.5", "M1 2C3.5", "the command C"),
        ("0 0 2000", "5 0 2000", "viewBox"),
        ("rotate(270", "rotate(45", "transform"),
    ] {
        let svg = PICTURE.replacen(old, new, 1);
        let error = from_svg(&svg, 300.0).expect_err(new).to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(matches!(from_svg("<svg", 300.0), Err(PdfError::Xml(_))));
}
