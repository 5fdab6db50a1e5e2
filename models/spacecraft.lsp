;;; The satellite of Sayers, "Symbolic computer language for multibody systems" (J. Guidance 14, 1991), in his own language:
;;; Fig. 6 as printed, with three slips of the scan mended (if1, tt1, :joint-coordinates), the values of Table 13, and
;;; the initial angles of the slew. The command subroutine and the thruster function of Fig. 8 are in the text that is loaded last.

(setsym *multibody-system-name* "Satellite with flexible boom and pointing camera, as AUTOSIM describes it")

(add-body B :name "Bus" :translate (1 2 3) :body-rotation-axes (1 2 3)
   :small-angles (t t t) :small-translations (t t t))
(add-body c :name "Clock" :parent b :inertia-matrix (ic ic 0)
   :body-rotation-axes 3 :cm-coordinates (0 0 -L2))
(add-body d :name "Camera" :parent c :joint-coordinates (0 L3 -L1)
   :cm-coordinates (0 -L5 -L6) :body-rotation-axes 1)
(add-body e :name "Boom hinge" :parent b :joint-coordinates (0 -L7 0)
   :small-angles t
   :inertia-matrix 0 :mass 0 :body-rotation-axes 3)
(add-body f :name "Boom" :parent e :inertia-matrix (if1 if2 if1)
   :small-angles t
   :cm-coordinates (0 -L8 0) :body-rotation-axes 1)

;;; Moments due to flexing of the boom
(add-moment bt1 :direction [e3] :body1 f :body2 b
   :magnitude "-kb*q(9) - db*u(9)")
(add-moment bt2 :direction [f1] :body1 f :body2 b
   :magnitude "-kb*q(10) - db*u(10)")

;;; add moments from clock and camera motors
(add-variables difeqn real clkcmd camcmd)
(add-subroutine difeqn cmd (t clkcmd camcmd))
(add-moment clockt :direction [c3] :body1 c :body2 b
   :magnitude "kc*(-q(7) + clkcmd) - dc*u(7)")
(add-moment camt :direction [d1] :body1 d :body2 c
   :magnitude "kc*(-q(8) + camcmd) - dc*u(8)")

;;; add moments from thrusters
(add-moment tt1 :direction [b1] :body1 b
   :magnitude "ltt1*thrust(t, 1, (g*u(4) + q(4)))")
(add-moment tt2 :direction [b2] :body1 b
   :magnitude "ltt2*thrust(t, 2, (g*u(5) + q(5)))")
(add-moment tt3 :direction [b3] :body1 b
   :magnitude "ltt3*thrust(t, 3, (g*u(6) + q(6)))")

;;; set labels and default values of parameters
(mks)
(set-defaults db 10 dc 20 g 2 kb 2000 kc 3500
   ib11 115 ib12 -14 ib13 14 ib22 316 ib23 -34.6 ib33 440
   ic 0.35
   id11 4.85 id12 0.41 id13 -0.07 id22 2.2 id23 -0.54 id33 5.5
   if1 27.2 if2 0.2
   L1 1.5 L2 0.75 L3 0.1 L5 0.22 L6 0.2 L7 1.2 L8 3.3
   ltt1 0.23 ltt2 0.21 ltt3 0.31
   mb 410 mc 6.8 md 57.5 mf 10.7)
(set-names db "damping of the boom's hinges" dc "damping of clock and camera drives"
   g "rate gain of the thrusters' law"
   kb "stiffness of the boom's hinges" kc "stiffness of clock and camera drives"
   ic "inertia of the clock across its axis"
   if1 "inertia of the boom across its axis" if2 "inertia of the boom about its axis"
   L1 "bus to camera hinge" L2 "bus to mass centre of the clock" L3 "clock axis to camera hinge"
   L5 "camera hinge to its mass centre, across" L6 "camera hinge to its mass centre, along"
   L7 "bus to boom hinge" L8 "boom hinge to its mass centre"
   ltt1 "arm of the thrusters about 1" ltt2 "arm of the thrusters about 2" ltt3 "arm of the thrusters about 3")
(set-defaults q(7) "4 - pi" q(8) -0.5 stopt 20 step 0.05)

(add-out "q(4)" "roll" :long-name "bus attitude about 1" :units "rad")
(add-out "q(5)" "pitch" :long-name "bus attitude about 2" :units "rad")
(add-out "q(6)" "yaw" :long-name "bus attitude about 3" :units "rad")

(load "routines/spacecraft.mbs")
(dynamics)
