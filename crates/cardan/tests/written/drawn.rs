//! Texts drawn at random: bodies on every kind of joint, driven, locked and turned; elements and loads between any two of them; loops; robots.

use cardan_testkit::Random;

/// Directions along and between axes.
const AXES: [&str; 6] = ["x", "-y", "z", "-z", "(1, 2, 2)", "(0, 3, -4)"];

fn pick<'t>(random: &mut Random, list: &[&'t str]) -> &'t str {
    list[random.below(list.len())]
}

/// A number with two digits behind the point.
fn number(random: &mut Random) -> f64 {
    (random.between(-1.0, 1.0) * 100.0).round() / 100.0
}

fn triple(random: &mut Random) -> String {
    format!("({}, {}, {})", number(random), number(random), number(random))
}

/// Words of one text and what it has made so far.
struct Draft {
    random: Random,
    text: String,
    /// Bodies and the ground.
    frames: Vec<String>,
    /// Angles that are coordinates: of bodies that stand, and of the one that is being made.
    angles: Vec<String>,
    coming: Vec<String>,
}

/// A tree with elements and loads, and a loop if that is wanted.
pub fn model(seed: u64, has_loop: bool) -> String {
    let text =
        "model drawn\nparameter p = 0.3, tilt = 0.2 [rad], stiff = 40 [N/m]\ngravity = -9.81 [m/s^2] * N.z\n"
            .to_owned();
    let frames = vec!["N".to_owned()];
    let mut draft = Draft { random: Random::new(seed), text, frames, angles: vec![], coming: vec![] };
    let n = 2 + draft.random.below(2);
    for k in 0..n {
        draft.add_body(k);
    }
    for k in 0..3 {
        draft.add_load(k);
    }
    if has_loop {
        draft.close();
    }
    draft.text + "output place = position(b1.cm), pace = velocity(b1(0.1, 0.2, 0.3) [m])\n"
}

impl Draft {
    /// A law of time, of a parameter or of what moves already, with its sines where they are not looked for.
    fn law(&mut self, unit: &str) -> String {
        let by = match self.angles.is_empty() {
            true => "2 [rad/s]*t".to_owned(),
            false => self.angles[self.random.below(self.angles.len())].clone(),
        };
        let shapes = [
            "sin(X)",
            "0.5*sin(X)",
            "cos(X) + 1",
            "X",
            "-X",
            "0.3*sin(3*X)*cos(X)",
            "p*X - 1",
            "sin(sin(X))",
            "0.7",
            "p",
        ];
        let shape = pick(&mut self.random, &shapes).replace('X', &format!("({by})"));
        match unit == "rad" && self.random.chance(0.1) {
            true => "tilt".to_owned(),
            false => format!("1 [{unit}]*({shape})"),
        }
    }

    /// A joint with one freedom.
    fn single(&mut self, k: usize) -> String {
        let axis = pick(&mut self.random, &AXES).to_owned();
        let kind = pick(&mut self.random, &["revolute", "prismatic", "screw"]);
        let unit = if kind == "prismatic" { "m" } else { "rad" };
        let lead = if kind == "screw" { ", lead = 0.2 [m]" } else { "" };
        let moves = match self.random.below(6) {
            0 | 1 => format!("motion = {}", self.law(unit)),
            2 => format!("q = s{k}, lock"),
            _ => {
                self.coming.extend((unit == "rad").then(|| format!("s{k}")));
                format!("q = s{k}")
            }
        };
        let orient = match self.random.chance(0.4) {
            true => format!(", orient = {} [rad]", triple(&mut self.random)),
            false => String::new(),
        };
        format!("{kind}({axis}{lead}, {moves}{orient})")
    }

    fn add_body(&mut self, k: usize) {
        let parent = self.frames[self.random.below(self.frames.len())].clone();
        let turned = format!("fixed(angles = {} [rad])", triple(&mut self.random));
        let general = [
            "cylindrical(y, q = (QK1, QK2))",
            "planar(z, q = (QK1, QK2, QK3))",
            "universal(zx, q = (QK1, QK2))",
            "spherical(rotate = zxy, q = (QK1, QK2, QK3), speeds = rates)",
            "spherical(rotate = xzy, q = (QK1, QK2, QK3), speed = (WK1, WK2, WK3), orient = (0.1, 0.2, 0.3) [rad])",
            "free(rotate = xyz, q = (QK1, QK2, QK3, QK4, QK5, QK6), speed = (UK1, UK2, UK3, UK4, UK5, UK6))",
            "translate(z = QK1, x = QK2) rotate(y = QK3)",
        ];
        let joint = match self.random.below(4) {
            0 => pick(&mut self.random, &general).replace('K', &k.to_string()),
            1 => format!("{turned} {}", self.single(k)),
            2 => {
                let first = self.single(k);
                format!("{first} {turned} {}", self.single(k + 10))
            }
            _ => self.single(k),
        };
        let place = triple(&mut self.random);
        let mass = 1 + self.random.below(3);
        self.text += &format!(
            "body b{k} on {parent} by {joint} at {place} [m] {{ mass = {mass} [kg]; inertia = (2, 3, 4, 0.1, -0.2, 0.3) [kg*m^2]; center = {} [m] }}\n",
            triple(&mut self.random)
        );
        self.frames.push(format!("b{k}"));
        self.angles.append(&mut self.coming);
    }

    /// Two different frames.
    fn pair(&mut self) -> (String, String) {
        let n = self.frames.len();
        let first = 1 + self.random.below(n - 1);
        let second = (first + 1 + self.random.below(n - 1)) % n;
        (self.frames[first].clone(), self.frames[second].clone())
    }

    fn add_load(&mut self, k: usize) {
        let (a, b) = self.pair();
        let [p, q] = [&a, &b].map(|f| format!("{f}{} [m]", triple(&mut self.random)));
        let random = &mut self.random;
        let along = pick(random, &["x", "y", "z"]);
        let (c1, c2) = (number(random), triple(random));
        self.text += &match random.below(7) {
            0 => format!("spring l{k} between {p} and {q} {{ stiffness = stiff; length = 0.4 [m] }}\n"),
            1 => format!(
                "spring_damper l{k} between {p} and {q} {{ stiffness = 30 [N/m]; damping = 2 [N*s/m]; length = 0.3 [m] }}\n"
            ),
            2 => format!("bushing l{k} between {p} and {q} {{ stiffness = (3, 20, 0) [N/m] }}\n"),
            3 => format!(
                "bushing l{k} between {p} and {q} {{ stiffness = (stiff, 20 [N/m], 5 [N/m]); damping = (1, 2, 3) [N*s/m]; torsion_stiffness = (4, 5, 6) [N*m/rad]; torsion_damping = 0.5 [N*m*s/rad] }}\n"
            ),
            4 => format!("force l{k} on {p} from {q} = 2 [N]*cos(t/(1 [s]))*{a}.{along} + {b}{c2}*1 [N]\n"),
            5 => format!(
                "torque l{k} on {a} from {b} = {c1} [N*m*s]*dot(omega({a}), {b}.{along})*{a}.x + 1 [N*m]*N.{along}\n"
            ),
            _ => format!(
                "torsion_spring l{k} between {a} and {b} {{ stiffness = 3 [N*m/rad]; axis = {b}.{along}; angle = {c1} [rad]*sin(t/(1 [s])); rest = 0.1 [rad] }}\n"
            ),
        };
    }

    /// A further body that is tied to the tree, or a drive.
    fn close(&mut self) {
        let (a, _) = self.pair();
        let random = &mut self.random;
        let (p, q) = (format!("{a}{} [m]", triple(random)), format!("tied{} [m]", triple(random)));
        let (first, second) = (pick(random, &AXES), pick(random, &AXES));
        let tie = match random.below(11) {
            0 => format!("joint tie = spherical({p}, {q})"),
            1 => format!("joint tie = distance({p}, {q}, length = 0.7 [m])"),
            2 => format!("joint tie = fixed({p}, {q}, angles = {} [rad])", triple(random)),
            3 => "constraint tie = dot(tied.x, N.z) - 0.1*sin(t/(1 [s]))".to_owned(),
            4 => "motion tie on x1 = 0.5 [m]*sin(sin(2 [rad/s]*t))".to_owned(),
            5 => "joint tie = coupler(x1, x2, factors = (1, -3), value = 0.2 [m])".to_owned(),
            kind => {
                let word = ["revolute", "prismatic", "cylindrical", "in_plane", "on_line"][kind - 6];
                format!("joint tie = {word}({p}, {q}, axis = {first}, second = {second})")
            }
        };
        self.text += &format!(
            "body tied on N by free(rotate = xyz, q = (x1, x2, x3, a1, a2, a3), speed = (v1, v2, v3, w1, w2, w3)) {{ mass = 2 [kg]; inertia = (1, 2, 2) [kg*m^2] }}\n{tie}\n"
        );
    }
}

/// Bodies without `on`, in a chain or a loop of joints between points.
pub fn graph(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut out = "model graph\ngravity = -9.81 [m/s^2] * N.y\n".to_owned();
    for k in 0..3 {
        out += &format!(
            "body g{k} {{ mass = {} [kg]; inertia = (1, 2, 3) [kg*m^2]; center = {} [m] }}\n",
            k + 1,
            triple(random)
        );
    }
    for k in 0..3 {
        let before = if k == 0 { "N".to_owned() } else { format!("g{}", k - 1) };
        let mut ends = [format!("{before}{} [m]", triple(random)), format!("g{k}{} [m]", triple(random))];
        if random.chance(0.3) {
            ends.swap(0, 1);
        }
        let axis = pick(random, &AXES);
        let motions = match random.below(5) {
            0 => format!("revolute({axis}, q = r{k}, orient = {} [rad])", triple(random)),
            1 => format!("prismatic({axis}, q = r{k})"),
            2 => format!("fixed(angles = {} [rad]) screw({axis}, lead = 0.3 [m], q = r{k})", triple(random)),
            3 => format!("translate(x = r{k}) rotate(z = c{k}) translate(y = d{k})"),
            _ => format!("revolute({axis}, motion = 0.4 [rad]*sin(3 [rad/s]*t)) revolute(x, q = r{k})"),
        };
        out += &format!("joint j{k} between {} and {} by {motions}\n", ends[0], ends[1]);
    }
    if random.chance(0.5) {
        out += &format!(
            "joint shut between g2{} [m] and N.o by translate(x, z) rotate(z, x, y)\n",
            triple(random)
        );
    }
    out
}

/// Joints of a robot with springs, dampers and rotors, on bodies that stand turned.
pub fn robot(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut out = String::from("<mujoco model='drawn'><compiler angle='radian'/><worldbody>");
    let list = |random: &mut Random| format!("{} {} {}", number(random), number(random), number(random));
    let n = 2 + random.below(2);
    for k in 0..n {
        let (place, turn) = (list(random), list(random));
        let turn = if random.chance(0.7) { format!("euler='{turn}'") } else { String::new() };
        out += &format!("<body name='b{k}' pos='{place}' {turn}>");
        for i in 0..1 + random.below(2) {
            let kind = pick(random, &["hinge", "slide", "slide", "ball"]);
            let axis = pick(random, &["1 0 0", "0 0 -1", "1 2 2", "0.3 -0.4 0.5"]);
            let more = pick(random, &["", "stiffness='30'", "stiffness='20' damping='2' armature='0.1'"]);
            let rest = if kind != "ball" && random.chance(0.5) { "springref='0.2' ref='0.1'" } else { "" };
            let place = list(random);
            out +=
                &format!("<joint name='j{k}{i}' type='{kind}' axis='{axis}' pos='{place}' {more} {rest}/>");
            if kind == "ball" {
                break;
            }
        }
        out += &format!(
            "<geom type='box' size='0.1 0.2 0.3' pos='{}' euler='{}' mass='2'/>",
            list(random),
            list(random)
        );
    }
    out + &"</body>".repeat(n) + "</worldbody></mujoco>"
}
