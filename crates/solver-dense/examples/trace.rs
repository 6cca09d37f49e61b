use delassus_core::*;
fn main() {
    let mut a = std::env::args().skip(1);
    let path = a.next().unwrap();
    let named = delassus_problems::read_file(&path).unwrap();
    let p = &named.problem;
    let mut params = delassus_solver_dense::newton::coulomb::CoulombParameters::default();
    if let Some(x) = a.next() { params.proximal = x.parse().unwrap(); }
    if let Some(x) = a.next() { params.start_sweeps = x.parse().unwrap(); }
    let n: u32 = a.next().map_or(150, |x| x.parse().unwrap());
    let mut s = delassus_solver_dense::AlartCurnier::new(params).unwrap();
    s.prepare(p, Start::Cold).unwrap();
    for k in 0..n {
        let r = s.iterate(p, 1);
        let pr = s.prepared().unwrap();
        println!("{k} {:e} {:e} {}", pr.residual(), pr.proximal(), pr.note());
        if r.is_err() || r.unwrap().finished { break; }
    }
}
